import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ServedPage, servePage } from '../serve-page.ts';

/** A point of a run at which the browser may die: the number of a write and its phase. */
export type Point = { readonly point: string; readonly what: string };

/** The server of the page and of its tools, with a log of the page's writes. */
export type KillServer = ServedPage & {
  /** The number of effects of each tool of a session. */
  readonly effects: (session: string) => ReadonlyMap<string, number>;
  /** The messages that stood for good in the last write of a session that was done. */
  readonly committed: (session: string) => readonly string[];
  /** The words of a session so far. */
  readonly said: (session: string) => readonly string[];
  /** Hears of each point of a session; true lets the page wait there for ever. */
  readonly listen: (session: string, onPoint: (point: Point) => boolean) => void;
};

/** Serves the page. */
export async function serveKills(): Promise<KillServer> {
  const effects = lists<string>();
  const said = lists<string>();
  const committed = new Map<string, readonly string[]>();
  const listeners = new Map<string, (point: Point) => boolean>();

  async function hear(url: URL, body: string, response: ServerResponse): Promise<void> {
    const { searchParams: query, pathname } = url;
    const session = query.get('session') ?? '';
    if (pathname === '/effect') effects.add(session, query.get('words') ?? '');
    if (pathname === '/said') said.add(session, JSON.parse(body) as string);
    if (pathname === '/point') {
      const ids = JSON.parse(body) as readonly string[] | null;
      if (ids !== null) committed.set(session, ids);
      const point = { point: query.get('point') ?? '', what: query.get('what') ?? '' };
      if (listeners.get(session)?.(point) === true) return;
    }
    response.end();
  }

  const page = await servePage('kills/app', (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    void text(request).then(
      (body) => hear(url, body, response),
      () => undefined,
    );
  });
  return {
    ...page,
    effects: (session) => {
      const counts = new Map<string, number>();
      for (const words of effects.of(session)) counts.set(words, (counts.get(words) ?? 0) + 1);
      return counts;
    },
    committed: (session) => committed.get(session) ?? [],
    said: said.of,
    listen: (session, onPoint) => void listeners.set(session, onPoint),
  };
}

function lists<Value>() {
  const all = new Map<string, Value[]>();
  const of = (key: string): readonly Value[] => all.get(key) ?? [];
  return { of, add: (key: string, value: Value): void => void all.set(key, [...of(key), value]) };
}
