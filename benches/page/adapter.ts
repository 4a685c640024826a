import type { ComponentType } from 'react';
import type { Wire } from '../sse-events.ts';
import { parseScriptPath } from '../stream-script.ts';
import { taskFetch } from './task-fetch.ts';

export type AdapterParams = {
  /** Number of earlier messages. */ readonly history: number;
  /** The server of the answer, `http://127.0.0.1:1234`; null for a source in the page with a task for each write. */
  readonly origin: string | null;
  /** The path of the script. */ readonly path: string;
};

/** A page with a history and a stream into its last message, built with one library. */
export type Adapter = (params: AdapterParams) => {
  readonly App: ComponentType;
  /** Asks for the next answer and resolves when it has ended. */ readonly send: () => Promise<void>;
};

/** The URL and options with which a library asks for its answer. */
export function upstreamOf(params: AdapterParams, wire: Wire): { url: string; fetch: typeof fetch } {
  const { origin, path } = params;
  const own: typeof fetch = (input, init) => fetch(input, init);
  return {
    url: `${origin ?? location.origin}/${wire}/${path}`,
    fetch: origin === null ? taskFetch(parseScriptPath(path), wire) : own,
  };
}
