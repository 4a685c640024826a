import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import { barriers, changesNothing, describe, isOfApplication, soft } from './deeds.ts';
import { firstDifference } from './divergence.ts';
import { comparable, promptOf, slotOf, told } from './told.ts';
import type { Track } from './track.ts';

/** Finds what the loop does again in the recording. */
export type Matcher = {
  /** The index of the recorded event; null when nothing equal was recorded there. */
  readonly find: (agent: string, body: AgentEventBody) => number | null;
  /** The loop did it: it does not match again. */
  readonly settle: (index: number) => void;
  readonly isSettled: (index: number) => boolean;
  /** Whether a model call is the recorded one; else it is the difference. */
  readonly isSamePrompt: (recorded: AgentChange, body: AgentEventBody) => boolean;
  /** Whether an agent did all that was recorded before; behind what parts it from what comes nothing is made up for. */
  readonly isDoneBefore: (agent: string, index: number) => boolean;
  /** Says how what the loop does differs from what was recorded. */
  readonly miss: (path: readonly string[], body: AgentEventBody) => void;
};

/** @param isMasked The recording has no secrets. */
export function createMatcher(track: Track, given: ReadonlySet<number>, isMasked: boolean): Matcher {
  const { events } = track;
  const done = new Set<number>();
  const firstOpen = new Map<string, number>();
  const toldBy = (event: AgentEventBody): string => JSON.stringify(comparable(told(event), isMasked));

  function isSamePrompt(recorded: AgentChange, body: AgentEventBody): boolean {
    const { seq, at, path } = recorded;
    const root = track.journal.state();
    const now = promptOf(root, { ...body, seq, at, path }, isMasked);
    const found = firstDifference(promptOf(root, recorded, isMasked), now);
    if (found !== null) track.diverge(recorded, 'the prompt', found);
    return found === null;
  }

  function isDoneBefore(agent: string, index: number): boolean {
    for (const before of track.of(agent)) {
      if (before >= index) break;
      const event = events[before] as AgentChange;
      if (track.isTaken(before)) continue;
      if (soft.has(event.type)) track.skip(before);
      else if (isOfApplication(event) || changesNothing(track.journal.state(), event)) track.take(before);
      else {
        track.miss(event);
        return false;
      }
    }
    return true;
  }

  function miss(path: readonly string[], body: AgentEventBody): void {
    const own = track.of(path.join('/')).filter((index) => !done.has(index) && !given.has(index));
    const near = own.find((index) => slotOf(events[index] as AgentChange) === slotOf(body)) ?? own[0];
    const recorded = near === undefined ? undefined : events[near];
    if (recorded?.type !== body.type) {
      const found = { path: '', recorded: recorded ? describe(recorded) : null, now: describe(body) };
      return track.diverge({ path }, 'what the agent does', found);
    }
    const found = firstDifference(comparable(told(recorded), isMasked), comparable(told(body), isMasked));
    track.diverge({ path }, describe(body), found ?? { path: '', recorded: describe(recorded), now: null });
  }

  return {
    find(agent, body) {
      const own = track.of(agent);
      const wanted = toldBy(body);
      let at = firstOpen.get(agent) ?? 0;
      while (at < own.length && done.has(own[at] as number)) at++;
      firstOpen.set(agent, at);
      for (; at < own.length; at++) {
        const index = own[at] as number;
        const event = events[index] as AgentChange;
        if (done.has(index)) continue;
        const isSame = event.type === body.type && slotOf(event) === slotOf(body);
        if (isSame && toldBy(event) === wanted) return index;
        if (barriers.has(event.type) && !given.has(index)) return null;
      }
      return null;
    },
    settle: (index) => void done.add(index),
    isSettled: (index) => done.has(index),
    isSamePrompt,
    isDoneBefore,
    miss,
  };
}
