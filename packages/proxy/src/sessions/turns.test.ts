import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createSessionRoutes } from './create-session-routes.ts';
import { recordOf } from './record-of.fixture.ts';
import { temporaryDatabase } from './sqlite-faults.fixture.ts';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';

const mebibyte = 1024 * 1024;

/** Counts the turns of the event loop until it is stopped. */
function countTurns(): () => number {
  let turns = 0;
  let isCounting = true;
  const count = (): void => {
    turns++;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  return () => {
    isCounting = false;
    return turns;
  };
}

it('a write that waits for the lock of another process stops no timer of this one', async () => {
  const { path, erase } = temporaryDatabase();
  const store = sqliteSessions({ path });
  onTestFinished(() => store.close().then(erase));
  await store.save(recordOf('first'), { expectedVersion: 0 });
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const saved = store.save(recordOf('second'), { expectedVersion: 0 });
  // A timer releases the lock; a blocked thread would never run it.
  setTimeout(() => {
    other.exec('ROLLBACK');
    other.close();
  }, 200);
  expect(await saved).toBe(1);
});

it('a body of 32 MiB is read, stored and sent in many short turns', async () => {
  const { path, erase } = temporaryDatabase();
  const store = sqliteSessions({ path });
  onTestFinished(() => store.close().then(erase));
  const routes = createSessionRoutes({ store, authorize: () => ({ id: 'anna' }), log: () => undefined });
  await store.of('anna').save(recordOf('a'), { expectedVersion: 0 });
  const head = (await store.rows('anna').head('a'))?.text;
  await store.rows('anna').remove('a');
  const put = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`msg.${at}`, 'word '.repeat(310)]),
  );
  const body = JSON.stringify({ head, put, drop: 'rest' });
  expect(body.length).toBeGreaterThan(29 * mebibyte);
  const headers = { 'content-type': 'application/json', 'if-none-match': '*' };
  const request = new Request('http://localhost/v1/sessions/a', { method: 'PUT', headers, body });
  const stop = countTurns();
  expect((await routes.fetch(request)).status).toBe(204);
  // At least one turn for each 512 KiB that is read and handed to the thread of SQLite.
  expect(stop()).toBeGreaterThan((2 * body.length) / (512 * 1024));
  const reading = countTurns();
  const answer = await routes.fetch(new Request('http://localhost/v1/sessions/a'));
  expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(29 * mebibyte);
  expect(reading()).toBeGreaterThan(body.length / (512 * 1024));
});
