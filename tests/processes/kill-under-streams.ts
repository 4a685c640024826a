import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { joinedDeltas } from '../upstream/joined-deltas.ts';
import { type Answer, readAnswer, textOf } from './read-answer.ts';
import type { Fleet } from './start-fleet.ts';
import { wordCount, wordsOf } from './words.ts';

/** Streams that run when a process is killed; each has two readers, who ask whomever the balancer gives them. */
const streams = 6;

/**
 * Kills a process under streams and reads all of them to their end, each by its two readers and by one who comes later.
 * Gives how often a reader had to go on elsewhere.
 */
export async function killUnderStreams(fleet: Fleet, round: number): Promise<number> {
  const { url } = fleet;
  const user = `round ${round}`;
  const followers: Promise<Answer>[] = [];
  const asking: Promise<Answer>[] = [];
  for (let index = 0; index < streams; index++)
    asking.push(readAnswer({ url, user, onBegun: (id) => followers.push(readAnswer({ url, user, id })) }));
  while (followers.length < streams) await sleep(1);
  await sleep(Math.random() * 250);
  const killed = fleet.kill(round % 3);
  const asked = await Promise.all(asking);
  const followed = await Promise.all(followers);
  for (const answer of asked) {
    assertWhole(answer, killed.name);
    const others = followed.filter(({ id }) => id === answer.id);
    expect(others).toHaveLength(1);
    for (const other of [...others, await readAnswer({ url, user, id: answer.id })])
      expect(joinedDeltas(other.events)).toEqual(joinedDeltas(answer.events));
  }
  await killed.replaced;
  return [...asked, ...followed].reduce((sum, answer) => sum + answer.resumed, 0);
}

/** All that was said, in order, once; to its end unless whoever said it was killed, which is then said too. */
function assertWhole(answer: Answer, killed: string): void {
  const text = textOf(answer);
  const [speaker = ''] = text.split(':');
  const said = text.split(' ').length - 1;
  expect(text).toBe(wordsOf(speaker).slice(0, said).join(''));
  const last = answer.events.at(-1);
  if (last?.type === 'finish') return expect(said).toBe(wordCount);
  expect(last).toMatchObject({ type: 'error', code: 'stream-incomplete', retryable: true });
  if (said > 0) expect(speaker).toBe(killed);
}
