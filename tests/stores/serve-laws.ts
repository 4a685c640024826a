import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, defaultClientConditions } from 'vite';
import { root } from '../../scripts/root.ts';

const html =
  '<!doctype html><html lang="en"><head><title>stores</title><link rel="icon" href="data:,"></head>' +
  '<body><script type="module" src="/client.js"></script></body></html>';

/** Builds the page of the laws and serves it. */
export async function serveLaws(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const outDir = await mkdtemp(join(tmpdir(), 'vitrine-stores-'));
  await build({
    root: join(root, 'tests/stores/app'),
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@vitrine/source', ...defaultClientConditions] },
    build: {
      outDir,
      minify: false,
      emptyOutDir: true,
      reportCompressedSize: false,
      rolldownOptions: {
        input: join(root, 'tests/stores/app/client.ts'),
        output: { entryFileNames: '[name].js' },
      },
    },
  });
  const http = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    response.setHeader('content-type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html');
    if (pathname.endsWith('.js')) createReadStream(join(outDir, pathname)).pipe(response);
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
