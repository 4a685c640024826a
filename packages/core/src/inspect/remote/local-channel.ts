import { AgentError } from '../../kit/agent-error.ts';
import { sleep } from '../../kit/async.ts';
import type { RemoteChannel } from './remote-channel.ts';
import { sealed } from './remote-message.ts';

/**
 * Connects a page in development with `vitrine mcp --page` on the same machine, which prints the address. The program
 * may start later, and again. Nothing is sent while it does not run.
 * @param address The address with its token, as `http://127.0.0.1:4983/#3f…`.
 * @throws AgentError `remote-invalid` for an address of another machine or without a token.
 */
export function localChannel(address: string): RemoteChannel {
  const { url, token } = readAddress(address);
  const headers = { authorization: `Bearer ${token}` };
  let isOpen = false;
  let sending: Promise<unknown> = Promise.resolve();
  function post(message: unknown): void {
    if (!isOpen) return;
    const body = JSON.stringify(message);
    sending = sending.then(() => fetch(url, { method: 'POST', headers, body })).catch(() => (isOpen = false));
  }
  async function listen(listener: (message: unknown) => void, signal: AbortSignal): Promise<void> {
    const { ok, body } = await fetch(url, { headers, signal });
    if (!ok || body === null) return;
    isOpen = true;
    // The program may have started after the page did.
    post(sealed({ type: 'here' }));
    await readLines(body, (line) => listener(JSON.parse(line)));
  }
  return {
    post,
    subscribe(listener) {
      const leaving = new AbortController();
      void stayConnected(
        (signal) => listen(listener, signal).finally(() => (isOpen = false)),
        leaving.signal,
      );
      return () => leaving.abort();
    },
  };
}

const hosts = ['127.0.0.1', 'localhost', '[::1]'];

function readAddress(address: string): { readonly url: string; readonly token: string } {
  const url = URL.canParse(address) ? new URL(address) : null;
  const token = url?.hash.slice(1) ?? '';
  if (url === null || !hosts.includes(url.hostname) || token === '')
    throw new AgentError(
      'remote-invalid',
      'localChannel: give the address that `vitrine mcp --page` prints, as "http://127.0.0.1:4983/#token".',
    );
  url.hash = '';
  return { url: url.href, token };
}

const [firstWaitMs, longestWaitMs] = [1_000, 30_000];

/** Connects again, with longer waits, until the signal aborts. */
async function stayConnected(
  connect: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const startedAt = performance.now();
    // The program does not run, or has ended.
    await connect(signal).catch(() => undefined);
    if (performance.now() - startedAt > longestWaitMs) waitMs = firstWaitMs;
    await sleep(waitMs, signal).catch(() => undefined);
  }
}

async function readLines(body: ReadableStream<BufferSource>, take: (line: string) => void): Promise<void> {
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = `${rest}${value}`.split('\n');
    rest = lines.pop() ?? '';
    lines.filter((line) => line !== '').forEach(take);
  }
}
