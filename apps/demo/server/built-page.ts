import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { pageHeaders } from './page-headers.ts';

const year = 365 * 24 * 60 * 60;

/** Serves the built page: compressed, with long-lived caching for files that have a hash in their name. */
export function builtPage(folder: string): RequestListener {
  const app = new Hono();
  app.use(compress());
  app.use(async (context, next) => {
    await next();
    const isHashed = context.res.ok && context.req.path.startsWith('/assets/');
    context.header('cache-control', isHashed ? `public, max-age=${year}, immutable` : 'no-cache');
    for (const [name, value] of Object.entries(pageHeaders(null))) context.header(name, value);
  });
  app.use(serveStatic({ root: folder }));
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}
