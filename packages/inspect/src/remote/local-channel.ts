import { createParser } from 'eventsource-parser';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { sleep } from '@vitrine/core/internal/kit/async';
import { urlOf } from '@vitrine/core/internal/kit/text';
import type { TabChannel } from '@vitrine/core/internal/session/store/tab-link';
import type { RemoteChannel } from './remote-channel.ts';
import { sealRemote } from './remote-message.ts';

/**
 * Connects a page in development with `vitrine mcp --page` on the same machine, which prints the address. The program
 * may start later, and again. Nothing is sent while it does not run.
 * @param address The address with its token, as `http://127.0.0.1:4985/#3f…`.
 * @throws AgentError `remote-invalid` for an address of another machine or without a token.
 */
export function localChannel(address: string): RemoteChannel {
  const program = readAddress(address);
  return { open: (onMessage) => openProgram(program, onMessage) };
}

function openProgram({ url, token }: Address, onMessage: (message: unknown) => void): TabChannel {
  const headers = { authorization: `Bearer ${token}` };
  const leaving = new AbortController();
  let connection: Connection | null = null;

  function post(message: unknown): void {
    const own = connection;
    if (own === null) return;
    const body = JSON.stringify(message);
    // The connection is made again, and then the program asks for everything.
    if (own.waiting > 0 && own.waiting + body.length > mostWaiting) return own.ending.abort();
    own.waiting += body.length;
    own.sending = own.sending
      .then(() => fetch(url, { method: 'POST', headers, body, signal: own.ending.signal }))
      .then(
        () => void (own.waiting -= body.length),
        () => own.ending.abort(),
      );
  }

  async function listen(): Promise<void> {
    const ending = new AbortController();
    const leave = (): void => ending.abort();
    leaving.signal.addEventListener('abort', leave);
    try {
      const { ok, body } = await fetch(url, { headers, signal: ending.signal });
      if (!ok || body === null) return;
      connection = { ending, waiting: 0, sending: Promise.resolve() };
      // The program may have started after the page did.
      post(sealRemote({ type: 'here' }));
      await readEvents(body, (data) => onMessage(JSON.parse(data)));
    } finally {
      connection = null;
      ending.abort();
      leaving.signal.removeEventListener('abort', leave);
    }
  }

  void stayConnected(listen, leaving.signal);
  return { post, close: () => leaving.abort() };
}

/** A connection to the program, with the characters that wait to be sent. */
type Connection = { readonly ending: AbortController; waiting: number; sending: Promise<unknown> };

/** The most characters that wait for a program that takes nothing. One message may be longer. */
const mostWaiting = 8 * 1024 * 1024;

const hosts = ['127.0.0.1', 'localhost', '[::1]'];

/** The address of a program, and the token that it knows. */
type Address = { readonly url: string; readonly token: string };

function readAddress(address: string): Address {
  const url = urlOf(address);
  const token = url?.hash.slice(1) ?? '';
  if (url === null || !hosts.includes(url.hostname) || token === '')
    throw new AgentError(
      'remote-invalid',
      'localChannel: give the address that `vitrine mcp --page` prints, as "http://127.0.0.1:4985/#token".',
    );
  url.hash = '';
  return { url: url.href, token };
}

const [firstWaitMs, longestWaitMs] = [1_000, 30_000];

/** Connects again, with longer waits, until the signal aborts. */
async function stayConnected(connect: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const startedAt = performance.now();
    // The program does not run, or has ended.
    await connect().catch(() => undefined);
    if (performance.now() - startedAt > longestWaitMs) waitMs = firstWaitMs;
    await sleep(waitMs, signal).catch(() => undefined);
  }
}

async function readEvents(body: ReadableStream<BufferSource>, take: (data: string) => void): Promise<void> {
  const parser = createParser({ onEvent: ({ data }) => take(data) });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) parser.feed(read.value);
}
