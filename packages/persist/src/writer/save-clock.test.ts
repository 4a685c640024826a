import { beforeEach, describe, expect, it } from 'vitest';
import { type SimulatedTime, simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import { SaveClock } from './change-log.ts';

let time: SimulatedTime;
let clock: SaveClock;
let isBroken: boolean;
/** The times of the writes, in milliseconds from the start. */
let writes: number[];

beforeEach(() => {
  time = simulatedTime();
  const env = time.env(0);
  isBroken = false;
  writes = [];
  const start = env.monotonic();
  clock = new SaveClock(env, () => {
    clock.began();
    writes.push(env.monotonic() - start);
    if (isBroken) clock.retry();
    else clock.noteSuccess();
  });
});

describe('the clock of a saver', () => {
  it('the clock writes once for several requests, at the earliest time', async () => {
    clock.request(500);
    clock.request(2000);
    clock.request(300);
    await time.pass(5000);
    expect(writes).toEqual([300]);
  });

  it('the clock doubles its pause after each failure up to 30 seconds, whatever is requested meanwhile', async () => {
    isBroken = true;
    clock.request(0);
    for (let at = 0; at < 1300; at++) {
      await time.pass(100);
      clock.request(0);
    }
    expect(writes).toEqual([0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000, 121_000]);
  });

  it('the clock writes at once when it hurries and starts again at one second after a success', async () => {
    isBroken = true;
    clock.request(0);
    await time.pass(20_000);
    isBroken = false;
    clock.hurry(0);
    await time.pass(100);
    isBroken = true;
    clock.request(400);
    await time.pass(1600);
    expect(writes.slice(-3)).toEqual([20_000, 20_500, 21_500]);
  });
});
