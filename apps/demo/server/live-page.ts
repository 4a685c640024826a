import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ViteDevServer } from 'vite';
import { pageHeaders } from './page-headers.ts';
import type { PageHandler, PageOptions } from './page-options.ts';

/** A placeholder for the nonce in Vite's output; each response replaces it with its own. */
const placeholder = 'nonce-of-this-answer';

/**
 * A script that disables SharedWorker. Vite's client waits for a restarting server in a worker created from
 * a text, which the page's policy forbids. Without SharedWorker it waits in the page and reloads when the
 * server is back.
 */
const waitsInPage = '<script>delete globalThis.SharedWorker;</script>';

/** Serves the page from its sources through Vite, with hot reload. */
export async function livePage({ root, server, allowedHosts }: PageOptions): Promise<PageHandler> {
  const vite = await createServer({
    configFile: `${root}vite.config.ts`,
    root: `${root}apps/demo`,
    appType: 'custom',
    html: { cspNonce: placeholder },
    server: { middlewareMode: true, hmr: { server }, allowedHosts: allowedHosts.map(nameOf) },
  });
  return {
    handle(request, response) {
      const nonce = randomBytes(18).toString('base64');
      for (const [name, value] of Object.entries(pageHeaders(nonce))) response.setHeader(name, value);
      vite.middlewares(request, response, (error?: unknown) => {
        if (error !== undefined) return void answer(response, 500, 'The page cannot be served.');
        sendPage(vite, { request, response, nonce, root }).catch((thrown: unknown) =>
          answer(response, 500, thrown instanceof Error ? thrown.message : String(thrown)),
        );
      });
    },
    close: () => vite.close(),
  };
}

type PageRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly nonce: string;
  readonly root: string;
};

/** Answers a request that Vite did not handle: with the page, or with 404. */
async function sendPage(vite: ViteDevServer, { request, response, nonce, root }: PageRequest): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname !== '/' && pathname !== '/index.html')
    return answer(response, 404, 'There is nothing at this address.');
  const source = await readFile(`${root}apps/demo/index.html`, 'utf8');
  const live = source.replace('<head>', `<head>${waitsInPage}`);
  const html = await vite.transformIndexHtml(request.url ?? '/', live);
  response.setHeader('cache-control', 'no-store');
  answer(response, 200, html.replaceAll(placeholder, nonce), 'text/html');
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.statusCode = status;
  response.setHeader('content-type', `${type}; charset=utf-8`);
  response.end(text);
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '');
}
