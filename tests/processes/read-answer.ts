import { type InferenceEvent, proxyInference } from '@vitrine/core';
import { request } from '../upstream/plain-request.ts';

/** The content of an answer as a reader sees it. */
export type Answer = {
  readonly id: string;
  readonly events: readonly InferenceEvent[];
  /** Times that its reader had to go on where a connection broke. */
  readonly resumed: number;
};

export type Reader = {
  readonly url: string;
  readonly user: string;
  /** A stream that somebody has begun, to read it from its start; without it one is begun. */
  readonly id?: string;
  /** Told with the first event which stream it is. */
  readonly onBegun?: (id: string) => void;
};

/** Reads an answer to its end as a page does; where its first request reached nobody, it asks again. */
export async function readAnswer(reader: Reader): Promise<Answer> {
  for (let tries = 0; tries < 20; tries++) {
    const answer = await tryAnswer(reader);
    if (answer !== null) return answer;
  }
  throw new Error(`Nobody could be asked at ${reader.url}.`);
}

async function tryAnswer({ url, user, id: known, onBegun }: Reader): Promise<Answer | null> {
  let id = known ?? null;
  let connections = 0;
  const events: InferenceEvent[] = [];
  const send: typeof fetch = async (input, init) => {
    connections++;
    const isFirst = init?.method === 'POST' && known !== undefined;
    const { method: _method, body: _body, ...reading } = init ?? {};
    const response = await (isFirst ? fetch(`${url}/v1/inference/${known}`, reading) : fetch(input, init));
    id ??= response.headers.get('x-inference-id');
    return response;
  };
  const client = proxyInference({ url, headers: { 'x-user': user }, fetch: send });
  for await (const event of client.stream(request, { signal: AbortSignal.timeout(120_000) })) {
    events.push(event);
    if (events.length === 1 && id !== null) onBegun?.(id);
  }
  const [first] = events;
  if (first?.type === 'error' && first.code === 'proxy-unreachable') return null;
  if (id === null) throw new Error(`The proxy refused: ${JSON.stringify(first)}`);
  return { id, events, resumed: connections - 1 };
}

/** The text of an answer. */
export function textOf({ events }: Answer): string {
  return events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('');
}
