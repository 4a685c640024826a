import type { Server } from 'node:http';
import { serveStatic } from '@hono/node-server/serve-static';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Handler } from './api-handler.ts';

/** Serves the page until it is closed. */
export type PageHandler = { readonly handle: Handler; readonly close: () => Promise<void> };

/** The page: from its sources through Vite, or as it was built. */
export function createPageHandler(options: {
  root: string;
  server: Server;
  /** Names that the page is served under, besides `localhost` and addresses. */
  allowedHosts: readonly string[];
  isProduction: boolean;
}): Promise<PageHandler> {
  return options.isProduction ? builtPage(options.root) : livePage(options);
}

async function livePage({
  root,
  server,
  allowedHosts,
}: {
  root: string;
  server: Server;
  allowedHosts: readonly string[];
}): Promise<PageHandler> {
  const { createServer } = await import('vite');
  const vite = await createServer({
    configFile: `${root}vite.config.ts`,
    root: `${root}apps/demo`,
    appType: 'spa',
    server: { middlewareMode: true, hmr: { server }, allowedHosts: allowedHosts.map(nameOf) },
  });
  return { handle: vite.middlewares, close: () => vite.close() };
}

async function builtPage(root: string): Promise<PageHandler> {
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy: 'no-referrer',
    }),
  );
  app.use(serveStatic({ root: `${root}apps/demo/dist` }));
  app.use(serveStatic({ path: `${root}apps/demo/dist/index.html` }));
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return { handle: (request, response) => void listener(request, response), close: async () => undefined };
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '');
}
