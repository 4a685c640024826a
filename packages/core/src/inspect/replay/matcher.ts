import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import { barriers, changesNothing, describe, isOfApplication, soft, sourceOf } from './side-effects.ts';
import { firstDifference } from './divergence.ts';
import { comparable, promptOf, slotOf, normalizedEvent } from './normalized-event.ts';
import type { ReplayJournal } from './replay-journal.ts';

/** Matches the events of the loop with the recording. */
export type Matcher = {
  /** The index of the matching recorded event; null when there is none. */
  readonly find: (agent: string, body: AgentEventBody) => number | null;
  /** Marks a recorded event as repeated; it does not match again. */
  readonly settle: (index: number) => void;
  readonly isSettled: (index: number) => boolean;
  /** True when a model call equals the recorded one; otherwise it is the difference. */
  readonly isSamePrompt: (recorded: AgentChange, body: AgentEventBody) => boolean;
  /** True when an agent has repeated all its events before an index. Nothing is skipped across a separating event. */
  readonly isDoneBefore: (agent: string, index: number) => boolean;
  /** Reports the difference between an event of the loop and the recording. */
  readonly miss: (path: readonly string[], body: AgentEventBody) => void;
};

/** Creates a matcher. @param isMasked The recording has no secrets. */
export function createMatcher(
  replayed: ReplayJournal,
  given: ReadonlySet<number>,
  isMasked: boolean,
): Matcher {
  const { events } = replayed;
  const done = new Set<number>();
  const firstOpen = new Map<string, number>();
  const keyOf = (event: AgentEventBody): string =>
    JSON.stringify(comparable(normalizedEvent(event), isMasked));

  function isSamePrompt(recorded: AgentChange, body: AgentEventBody): boolean {
    const { seq, at, path } = recorded;
    const root = replayed.journal.state();
    const now = promptOf(root, { ...body, seq, at, path }, isMasked);
    const found = firstDifference(promptOf(root, recorded, isMasked), now);
    if (found !== null) replayed.diverge(recorded, 'the prompt', found);
    return found === null;
  }

  function isDoneBefore(agent: string, index: number): boolean {
    for (const before of replayed.of(agent)) {
      if (before >= index) break;
      const event = events[before] as AgentChange;
      if (replayed.isTaken(before)) continue;
      if (soft.has(event.type)) replayed.skip(before);
      else if (isOfApplication(event) || changesNothing(replayed.journal.state(), event))
        replayed.take(before);
      else {
        replayed.miss(event);
        return false;
      }
    }
    return true;
  }

  function miss(path: readonly string[], body: AgentEventBody): void {
    const own = replayed.of(path.join('/')).filter((index) => !done.has(index) && !given.has(index));
    const near = own.find((index) => slotOf(events[index] as AgentChange) === slotOf(body)) ?? own[0];
    const recorded = near === undefined ? undefined : events[near];
    const source = sourceOf(body) ?? (recorded ? sourceOf(recorded) : null);
    if (recorded?.type !== body.type) {
      const found = { path: '', source, recorded: recorded ? describe(recorded) : null, now: describe(body) };
      return replayed.diverge({ path }, 'what the agent does', found);
    }
    const found = firstDifference(
      comparable(normalizedEvent(recorded), isMasked),
      comparable(normalizedEvent(body), isMasked),
    );
    const differing = found ?? { path: '', recorded: describe(recorded), now: null };
    replayed.diverge({ path }, describe(body), { ...differing, source });
  }

  return {
    find(agent, body) {
      const own = replayed.of(agent);
      const wanted = keyOf(body);
      let at = firstOpen.get(agent) ?? 0;
      while (at < own.length && done.has(own[at] as number)) at++;
      firstOpen.set(agent, at);
      for (; at < own.length; at++) {
        const index = own[at] as number;
        const event = events[index] as AgentChange;
        if (done.has(index)) continue;
        const isSame = event.type === body.type && slotOf(event) === slotOf(body);
        if (isSame && keyOf(event) === wanted) return index;
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
