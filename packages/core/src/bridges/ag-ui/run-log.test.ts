import { expect, it } from 'vitest';
import { RunLog } from './run-log.ts';

const mega = 2 ** 20;
const text = (length: number) =>
  ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'x'.repeat(length) }) as const;

/** A log with events of 1 MB each. */
function logOf(count: number): RunLog {
  const log = new RunLog(() => undefined);
  for (let added = 0; added < count; added++) log.add(text(mega));
  return log;
}

async function readAll(body: ReadableStream<Uint8Array> | null): Promise<string> {
  return new Response(body).text();
}

it('a log of up to 16 MB can be read from its beginning', async () => {
  const log = logOf(15);
  log.end();
  expect((await readAll(log.read(0))).match(/^id: /gm)).toHaveLength(15);
});

it('a longer log drops its older half, and its numbers go on', async () => {
  const log = logOf(17);
  log.end();
  expect(log.read(0)).toBeNull();
  const [first] = [...Array(17).keys()].filter((from) => log.read(from) !== null);
  expect(first).toBe(8);
  const kept = await readAll(log.read(8));
  expect(kept.match(/^id: .*/gm)?.map((line) => Number(line.split('.').at(-1)))).toEqual([
    9, 10, 11, 12, 13, 14, 15, 16, 17,
  ]);
});

it('a reader that is slower than the dropping gets an error that says what to do', async () => {
  const log = logOf(1);
  const reader = log.read(0)!.getReader();
  await reader.read();
  for (let added = 0; added < 40; added++) log.add(text(mega));
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  await expect(rest()).rejects.toThrow('no longer kept; send the run again');
});

it('a number that is not in the log is not read', () => {
  const log = logOf(2);
  expect([-1, 0.5, Number.NaN, 3].map((from) => log.read(from))).toEqual([null, null, null, null]);
});
