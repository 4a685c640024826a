import type { ComponentType } from 'react';
import type { Wire } from '../sse-events.ts';
import { parseScriptPath } from '../stream-script.ts';
import { taskFetch } from './task-fetch.ts';

export type AdapterParams = {
  /** Messages that are there before. */ readonly history: number;
  /** The server that answers, `http://127.0.0.1:1234`; null for a source in the page, a task for each write. */
  readonly origin: string | null;
  /** The path of the script. */ readonly path: string;
};

/** What a library has to show: a page with a history, and a stream into its last message. */
export type Adapter = (params: AdapterParams) => {
  readonly App: ComponentType;
  /** Asks for the next answer; resolves when it has ended. */ readonly send: () => Promise<void>;
};

/** Where a library asks for its answer, and with what. */
export function upstreamOf(params: AdapterParams, wire: Wire): { url: string; fetch: typeof fetch } {
  const { origin, path } = params;
  const own: typeof fetch = (input, init) => fetch(input, init);
  return {
    url: `${origin ?? location.origin}/${wire}/${path}`,
    fetch: origin === null ? taskFetch(parseScriptPath(path), wire) : own,
  };
}
