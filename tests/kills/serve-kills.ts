import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build, defaultClientConditions } from 'vite';
import { root } from '../../scripts/root.ts';

const html =
  '<!doctype html><html lang="en"><head><title>kills</title><link rel="icon" href="data:,"></head>' +
  '<body><script type="module" src="/client.js"></script></body></html>';

/** A point of a run at which the browser may die: the number of a write and its phase. */
export type Point = { readonly point: string; readonly what: string };

/** Where the page comes from, what its tools do to the world, and whom it tells of its writes. */
export type KillServer = {
  readonly url: string;
  /** How often each tool of a session had its effect. */
  readonly effects: (session: string) => ReadonlyMap<string, number>;
  /** The messages that stood for good in the last write of a session that was done. */
  readonly committed: (session: string) => readonly string[];
  /** When (`performance.now`) each word was said in a session. */
  readonly said: (session: string) => readonly { readonly word: string; readonly at: number }[];
  /** Hears of each point of a session; true lets the page wait there for ever. */
  readonly listen: (session: string, onPoint: (point: Point) => boolean) => void;
  readonly close: () => Promise<void>;
};

/** Builds the page and serves it. */
export async function serveKills(): Promise<KillServer> {
  const outDir = await buildPage();
  const effects = lists<string>();
  const said = lists<{ word: string; at: number }>();
  const committed = new Map<string, readonly string[]>();
  const listeners = new Map<string, (point: Point) => boolean>();

  async function hear(url: URL, body: string, response: ServerResponse): Promise<void> {
    const { searchParams: query, pathname } = url;
    const session = query.get('session') ?? '';
    if (pathname === '/effect') effects.add(session, query.get('words') ?? '');
    if (pathname === '/said') said.add(session, { word: JSON.parse(body) as string, at: performance.now() });
    if (pathname === '/point') {
      const ids = JSON.parse(body) as readonly string[] | null;
      if (ids !== null) committed.set(session, ids);
      const point = { point: query.get('point') ?? '', what: query.get('what') ?? '' };
      if (listeners.get(session)?.(point) === true) return;
    }
    response.end();
  }

  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST')
      return void text(request).then(
        (body) => hear(url, body, response),
        () => undefined,
      );
    const isScript = url.pathname.endsWith('.js');
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    if (isScript) createReadStream(join(outDir, url.pathname)).pipe(response);
    else response.end(html);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    effects: (session) => {
      const counts = new Map<string, number>();
      for (const words of effects.of(session)) counts.set(words, (counts.get(words) ?? 0) + 1);
      return counts;
    },
    committed: (session) => committed.get(session) ?? [],
    said: said.of,
    listen: (session, onPoint) => void listeners.set(session, onPoint),
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

async function buildPage(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'vitrine-kills-'));
  await build({
    root: join(root, 'tests/kills/app'),
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@vitrine/source', ...defaultClientConditions] },
    build: {
      outDir,
      minify: false,
      emptyOutDir: true,
      reportCompressedSize: false,
      rolldownOptions: {
        input: join(root, 'tests/kills/app/client.ts'),
        output: { entryFileNames: '[name].js' },
      },
    },
  });
  return outDir;
}

function lists<Value>() {
  const all = new Map<string, Value[]>();
  const of = (key: string): readonly Value[] => all.get(key) ?? [];
  return { of, add: (key: string, value: Value): void => void all.set(key, [...of(key), value]) };
}
