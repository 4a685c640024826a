import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The load of readers. */
export type Readers = {
  /** The number of concurrent readers. */
  readonly readers: number;
  /** The number of consecutive answers of each reader. */
  readonly answers: number;
  /** The readers begin evenly within so many milliseconds. */
  readonly withinMs: number;
};

const now = (): number => performance.timeOrigin + performance.now();
const body = JSON.stringify({
  model: null,
  messages: [
    {
      id: '01a20000-0000-7000-8000-000000000000',
      role: 'user',
      parts: [{ type: 'text', text: 'Hi' }],
      createdAt: 1,
    },
  ],
  tools: [],
  toolChoice: 'auto',
  responseFormat: null,
  settings: {},
});

/** Reads answers concurrently. @returns The delay of each chunk, in milliseconds. */
export async function readStreams(
  url: string,
  { readers, answers, withinMs }: Readers,
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const delays: number[] = [];
  await Promise.all(
    Array.from({ length: readers }, async (_, index) => {
      await sleep((index * withinMs) / readers);
      for (let answer = 0; answer < answers; answer++) await read(`${url}/v1/inference`, agent, delays);
    }),
  );
  return delays;
}

function read(url: string, agent: Agent, delays: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(url, { method: 'POST', agent, headers }, (response) => {
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const seen = now();
        const parts = (rest + text).split('@');
        // Every second part is a time; the last one may be incomplete.
        for (let at = 1; at < parts.length - 1; at += 2) delays.push(seen - Number(parts[at]));
        rest = parts.length % 2 === 0 ? `@${parts.at(-1)}` : '';
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`Status ${response.statusCode}`)),
      );
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}
