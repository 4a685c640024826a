import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { buildApp, type Kind } from './build-app.ts';

type ServerBuild = typeof import('./app/server.tsx');

export type App = { readonly url: string; readonly close: () => Promise<void> };

/** Pages of one kind, rendered by a server of their own: `/<page>` or `/<page>?strict`. */
export async function serveApp(kind: Kind): Promise<App> {
  const { client, server } = await buildApp(kind);
  const build = (await import(pathToFileURL(join(server, 'server.js')).href)) as ServerBuild;
  const http = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript');
      createReadStream(join(client, pathname)).pipe(response);
    } else void answer(build, pathname.slice(1), search.includes('strict'), response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await rm(dirname(client), { recursive: true, force: true });
    },
  };
}

async function answer(
  build: ServerBuild,
  page: string,
  isStrict: boolean,
  response: ServerResponse,
): Promise<void> {
  const roots = Array.from({ length: build.rootsOf(page) }, (_, root) => {
    const html = new PassThrough();
    build.render(page, root, isStrict, () => undefined, html);
    return text(html);
  });
  const bodies = await Promise.all(roots);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(
    `<!doctype html><html lang="en"><head><title>${page}</title><link rel="icon" href="data:,"></head><body>` +
      bodies.map((body, root) => `<div id="root-${root}">${body}</div>`).join('') +
      '<script type="module" src="/client.js"></script></body></html>',
  );
}
