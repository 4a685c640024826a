import 'fake-indexeddb/auto';
import { describe, it } from 'vitest';
import { fakeStorage } from '@vitrine/testing/internal/session.fixture';
import { indexedDBSessions } from '../drivers/indexed-db/indexed-db-rows.ts';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { quietCourse, sendingCourse } from './device-course.fixture.ts';
import { deviceExamples } from './device-examples.fixture.ts';
import { assertAnsweredInTurn, assertDevices, assertPaidOnce, proveDevices } from './devices-law.fixture.ts';
import { playDevices } from './devices-simulation.fixture.ts';

/** Schedules for each cell of the table. */
const numRuns = Number(process.env['PROVE_RUNS'] ?? 6);
let databases = 0;
/** Factories of the stores that the devices of one schedule share. */
const places: Readonly<Record<string, () => () => SessionStore>> = {
  memory() {
    const shared = memorySessions();
    return () => shared;
  },
  localStorage() {
    const storage = fakeStorage();
    return () => localStorageSessions({ storage });
  },
  IndexedDB() {
    const name = `devices-${++databases}`;
    return () => indexedDBSessions({ name });
  },
};
const cells = Object.keys(places).flatMap((place) => [true, false].map((isLinked) => ({ place, isLinked })));

describe('two and three devices on one session', () => {
  it.each(cells)(
    'devices lose no message and repeat no effect over $place (shared lock: $isLinked)',
    { timeout: 3_600_000 },
    ({ place, isLinked }) => proveDevices({ name: place, numRuns }, places[place]!, isLinked),
  );

  it.each(cells)(
    'devices call the model once for each step over $place (shared lock: $isLinked)',
    { timeout: 3_600_000 },
    ({ place, isLinked }) =>
      proveDevices({ name: `${place}, calls`, numRuns }, places[place]!, isLinked, {
        course: quietCourse,
        assert: assertPaidOnce,
      }),
  );

  it.each(Object.keys(places))(
    'devices without a shared lock that send at the same time answer every message in turn over %s',
    { timeout: 3_600_000 },
    (place) =>
      proveDevices({ name: `${place}, at once`, numRuns }, places[place]!, false, {
        course: sendingCourse,
        assert: assertAnsweredInTurn,
      }),
  );

  it.each(deviceExamples)('$name', async ({ course, isLinked, place = 'memory', assert = assertDevices }) => {
    assert(await playDevices(course, places[place]!(), isLinked));
  });
});
