import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { conversation } from './attacked-proxy.ts';

const mebibyte = 1024 * 1024;
const times = Number(process.env['PROVE_RUNS'] ?? 60);

/** The heap that the process is started with; the engine may fill it with garbage before it collects. */
const heapMebibytes = 160;
/** Four times what is held of requests, twice what is kept of streams, and the heap. */
const boundMebibytes = 4 * 16 + 2 * 16 + 2 * 8 + heapMebibytes;

let child: ChildProcess;
let url = '';
const sockets = new Set<Socket>();

const lineOf = (process: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    process.stdout?.once('data', (data: Buffer) => resolve(data.toString().trim()));
    process.once('exit', (code) => reject(new Error(`The proxy ended with ${code}.`)));
  });

beforeAll(async () => {
  const script = fileURLToPath(new URL('flooded-process.ts', import.meta.url));
  child = spawn(
    process.execPath,
    ['--conditions=@vitrine/source', `--max-old-space-size=${heapMebibytes}`, script],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  url = await lineOf(child);
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  child.kill('SIGKILL');
});

/** The most memory that the proxy has taken so far, in MiB. */
async function peak(): Promise<number> {
  const line = lineOf(child);
  child.stdin?.write('?\n');
  return Number(await line) / 1024;
}

function open(lines: readonly string[], body: string | Buffer): Socket {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  socket.write(`${[...lines, `Host: ${host}`].join('\r\n')}\r\n\r\n`);
  socket.write(body);
  return socket;
}

const head = (who: string, length: number): string[] => [
  'POST /v1/inference HTTP/1.1',
  `Authorization: ${who}`,
  'Content-Type: application/json',
  `Content-Length: ${length}`,
];

/** Waits until nothing more is written to or read from any socket, or they are closed. */
async function untilStill(): Promise<void> {
  const bytes = (): number =>
    [...sockets].reduce((sum, one) => sum + one.bytesRead + one.bytesWritten, sockets.size);
  for (let before = -1, now = bytes(); before !== now; now = bytes()) {
    before = now;
    await sleep(300);
  }
}

it(
  'one process takes no more memory than its bounds, whatever is uploaded, asked and left unread',
  { timeout: 3_600_000 },
  async () => {
    const question = JSON.stringify(conversation);
    await fetch(`${url}/v1/models`, { headers: { authorization: 'ann' } });
    const before = await peak();
    const part = Buffer.alloc(3 * mebibyte, ' ');
    for (let at = 0; at < times; at++) {
      const who = `p${at % 7}`;
      // An upload that stops within, an answer whose reader takes nothing, and one more reader of an answer.
      open(head(who, 5 * mebibyte), part);
      open(head(who, question.length), question).pause();
      const asked = await fetch(`${url}/v1/inference`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: who },
        body: question,
      });
      const id = asked.headers.get('x-inference-id');
      if (id === null) await asked.text();
      else open([`GET /v1/inference/${id} HTTP/1.1`, `Authorization: ${who}`], '').pause();
      await asked.body?.cancel().catch(() => undefined);
      if (at % 20 === 19) await untilStill();
    }
    await untilStill();
    expect((await peak()) - before).toBeLessThan(boundMebibytes);

    // Nothing is lost of the room when all have left.
    for (const socket of sockets) socket.destroy();
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`${url}/v1/inference`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'p0' },
        body: JSON.stringify({
          messages: [
            { role: 'user', parts: [{ type: 'file', mediaType: 'a/b', data: 'A'.repeat(4 * mebibyte) }] },
          ],
        }),
      });
      await answer.body?.cancel();
      if (answer.status === 200) break;
      expect([429, 503]).toContain(answer.status);
      if (tries > 600) throw new Error('What was held did not come back.');
      await sleep(100);
    }
  },
);
