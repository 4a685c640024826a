import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, defaultClientConditions } from 'vite';
import { withOldestPeers } from '../scripts/oldest-peers.ts';
import { root } from '../scripts/root.ts';

/** A page that a test talks to, and where it is. */
export type ServedPage = { readonly url: string; readonly close: () => Promise<void> };

/**
 * Builds `client.ts` of a folder below `tests` from the sources, and serves a page of nothing but it.
 * `onPost` answers what the page posts, `define` replaces names in the code.
 */
export async function servePage(
  folder: string,
  onPost?: (request: IncomingMessage, response: ServerResponse) => void,
  define: Readonly<Record<string, string>> = {},
): Promise<ServedPage> {
  const outDir = await buildPage(join(root, 'tests', folder), define);
  const html =
    `<!doctype html><html lang="en"><head><title>${folder}</title><link rel="icon" href="data:,"></head>` +
    '<body><script type="module" src="/client.js"></script></body></html>';
  const http = createServer((request, response) => {
    if (request.method === 'POST' && onPost) return onPost(request, response);
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const [, ending] = /\.(\w+)$/.exec(pathname) ?? [];
    const types: Record<string, string> = { js: 'text/javascript', woff2: 'font/woff2', ttf: 'font/ttf' };
    response.setHeader('content-type', types[ending ?? ''] ?? 'text/html');
    if (ending !== undefined && ending in types) createReadStream(join(outDir, pathname)).pipe(response);
    else response.end(html);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

async function buildPage(from: string, define: Readonly<Record<string, string>>): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'vitrine-page-'));
  await build({
    root: from,
    configFile: false,
    logLevel: 'error',
    define,
    plugins: [withOldestPeers()],
    resolve: { conditions: ['@vitrine/source', ...defaultClientConditions] },
    build: {
      outDir,
      minify: false,
      emptyOutDir: true,
      reportCompressedSize: false,
      rolldownOptions: { input: join(from, 'client.ts'), output: { entryFileNames: '[name].js' } },
    },
  });
  return outDir;
}
