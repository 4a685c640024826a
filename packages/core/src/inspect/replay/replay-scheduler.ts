import type { AgentStopError } from '../../graph/agent-stop-error.ts';
import { type Env, systemEnv } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import type { JournalLease } from '../../run/journal.ts';
import { stateAt } from '../../run/state-at.ts';
import { createAbortMoments } from './abort-moments.ts';
import { barriers, changesNothing, isOfApplication, soft } from './side-effects.ts';
import type { Divergence } from './divergence.ts';
import { createWaiters } from './waiters.ts';
import type { ReadJournal } from './journal-document.ts';
import { createMatcher, type Matcher } from './matcher.ts';
import { externalInputsIn } from './external-inputs.ts';
import { createReplayJournal, type ReplayJournal } from './replay-journal.ts';

/**
 * A recording during its replay. Its journal takes the recorded events in their order, with their stamps. Events that
 * the loop commits are compared with them and never taken.
 */
export type ReplayScheduler = {
  readonly lease: JournalLease;
  readonly state: () => AgentState;
  /** Takes events of others while they are next. */
  readonly advance: () => void;
  /** Resolves when every event before the index was taken. */
  readonly turn: (index: number) => Promise<void>;
  /** Waits until the run is aborted, for work that never ended. */
  readonly untilAbort: () => Promise<never>;
  /** Index of the latest event with which the work of a key began. */
  readonly begun: (key: string) => number | undefined;
  readonly takeSteered: () => readonly Message[];
  readonly isAtEnd: () => boolean;
  /** True when all events of a recording were taken that ends in the middle of a run. */
  readonly isOver: () => boolean;
  /** Number of events taken. */
  readonly place: () => number;
  readonly divergence: () => Divergence | null;
  readonly diverge: ReplayJournal['diverge'];
  /** Releases the next waiting answer although an earlier event is missing; used when nothing moves. */
  readonly nudge: () => void;
  /** Ends a replay in which nothing moves: the next recorded event becomes the difference. */
  readonly giveUp: () => void;
  /** Makes an event that was recorded and not repeated the difference. */
  readonly close: () => void;
  readonly env: Env;
};

/** Options of a replay's scheduler. */
export type SchedulerOptions = {
  readonly isMasked: boolean;
  /** Number of events before the first trace of an abort at which it is triggered. */
  readonly abortsBefore: number;
  /** True to take answers of people at once, also when it is unknown whether they were seen then. */
  readonly isEager: boolean;
  /** Called where the recording was aborted. */
  readonly onAbort: (reason: AgentStopError) => void;
  /** Called with every event that was taken, and at the first difference. */
  readonly onMove: () => void;
};

/** Creates the replay of a recording from its beginning. */
export function createReplayScheduler(journal: ReadJournal, options: SchedulerOptions): ReplayScheduler {
  const { isMasked, onAbort, onMove, abortsBefore, isEager } = options;
  const { events } = journal;
  const { given, steered, aborts } = externalInputsIn(events);
  const moments = createAbortMoments(aborts, abortsBefore, onAbort);
  const replayed = createReplayJournal(journal, () => {
    moments.reach(replayed.count());
    onMove();
  });
  const { place, take } = replayed;
  const matcher = createMatcher(replayed, given, isMasked);
  const waiters = createWaiters();
  const begun = new Map<string, number>();
  const clock = createRetryClock(replayed.env);
  let isStuck = false;
  const hasFailed = (): boolean => replayed.divergence() !== null;
  const giveUp = (): void => replayed.miss(events[place()]);
  const mustWait = (): boolean => !isEager && isUnseen(replayed, given, waiters.isAwaited, place());

  function advance(): void {
    while (!hasFailed() && given.has(place()) && !mustWait()) take(place());
    waiters.open(place());
  }

  function commit(path: readonly string[], body: AgentEventBody): AgentChange | null {
    if (hasFailed() || stateAt(replayed.journal.state(), path) === null) return null;
    const index = matcher.find(path.join('/'), body);
    const recorded = index === null ? undefined : events[index];
    if (index === null || recorded === undefined) return commitUnrecorded(path, body);
    if (recorded.type === 'inference-start' && !matcher.isSamePrompt(recorded, body)) return null;
    takeAsked(replayed, given, index);
    if (barriers.has(recorded.type) && !matcher.isDoneBefore(path.join('/'), index)) return null;
    matcher.settle(index);
    take(index);
    takeRemembered(replayed, given, index + 1);
    if (recorded.type === 'inference-start' || recorded.type === 'tool-start') begun.set(recorded.key, index);
    advance();
    return hasFailed() ? null : recorded;
  }

  function commitUnrecorded(path: readonly string[], body: AgentEventBody): AgentChange | null {
    const committed = insertUnrecorded(replayed, matcher, path, body);
    while (committed !== null && given.has(place()) && !hasFailed()) take(place());
    if (committed !== null) advance();
    return committed;
  }

  /** Takes events whose change is present: of several hooks that make the same change, only the first commits it. */
  function advanceIdle(): void {
    for (advance(); !hasFailed() && isDoneAlready(replayed, given); advance()) take(place());
  }

  const { state, subscribe } = replayed.journal;
  return {
    ...replayed,
    env: clock.env,
    lease: { state, commit, subscribe, tell: (_path, { type }) => clock.hear(type) },
    advance: advanceIdle,
    turn(index) {
      if (index <= place()) return Promise.resolve();
      const turn = waiters.wait(index);
      advance();
      return turn;
    },
    untilAbort() {
      isStuck = true;
      return new Promise(() => undefined);
    },
    begun: (key) => begun.get(key),
    takeSteered: () => nextSteered(replayed, steered, matcher.isSettled),
    isAtEnd: () => place() >= events.length,
    nudge() {
      if (waiters.openNext() || !isStuck) return;
      isStuck = false;
      if (!moments.hurry(replayed.count())) giveUp();
    },
    giveUp,
    close: () => missUndone(replayed),
  };
}

/**
 * Accepts an event that was not recorded when it changes nothing or depends on timing; otherwise it is the difference.
 */
function insertUnrecorded(
  replayed: ReplayJournal,
  matcher: Matcher,
  path: readonly string[],
  body: AgentEventBody,
): AgentChange | null {
  if (replayed.isOver()) return null;
  const isNothing = changesNothing(replayed.journal.state(), { ...body, path, seq: 0, at: 0 });
  if (soft.has(body.type) || isNothing) return replayed.insert(path, body);
  matcher.miss(path, body);
  return null;
}

/** Takes events of others before an index, in the order of their questions. */
function takeAsked(replayed: ReplayJournal, given: ReadonlySet<number>, end: number): void {
  for (let before = replayed.place(); before < end; before++)
    if (given.has(before) && replayed.isAsked(before)) replayed.take(before);
}

/** True when the next event would change nothing, because its change is already present. */
function isDoneAlready(replayed: ReplayJournal, given: ReadonlySet<number>): boolean {
  const event = replayed.events[replayed.place()];
  return (
    event !== undefined && !given.has(replayed.place()) && changesNothing(replayed.journal.state(), event)
  );
}

/**
 * Takes the decisions that a person had remembered after an event. They apply to the calls of every agent, so the next
 * call must see them, also when an earlier event of another agent is late.
 */
function takeRemembered(replayed: ReplayJournal, given: ReadonlySet<number>, start: number): void {
  let end = start;
  while (given.has(end)) end++;
  const said = replayed.events.slice(start, end);
  const last = said.findLastIndex(({ type }) => type === 'approval-remember');
  for (let at = 0; at <= last; at++)
    if (said[at]?.type.startsWith('approval-') && replayed.isAsked(start + at)) replayed.take(start + at);
}

/** Reports a recorded event that changed the state and was not repeated. */
function missUndone(replayed: ReplayJournal): void {
  const undone = replayed.events.find(
    (event, index) =>
      !replayed.isTaken(index) &&
      !soft.has(event.type) &&
      !isOfApplication(event) &&
      !changesNothing(replayed.journal.state(), event),
  );
  if (undone) replayed.miss(undone);
}

/**
 * True when an answer must wait. Taken too early, it would keep the run from its earlier work. It is taken once a
 * later event shows that it was seen, or when somebody waits for the next event.
 */
function isUnseen(
  replayed: ReplayJournal,
  given: ReadonlySet<number>,
  isAwaited: (index: number) => boolean,
  index: number,
): boolean {
  const answer = replayed.events[index] as AgentChange;
  if (answer.type !== 'approval-answer' && answer.type !== 'tool-end') return false;
  let next = index;
  for (; given.has(next) || replayed.isTaken(next); next++)
    // A remembered decision applies to the calls beside it as well.
    if (replayed.events[next]?.type === 'approval-remember') return false;
  const event = replayed.events[next];
  if (event === undefined || isAwaited(next) || event.type === 'execution-resume') return false;
  return !('toolCallId' in event) || event.toolCallId !== answer.toolCallId;
}

/** The messages that a person added after the step that has just ended. */
function nextSteered(
  replayed: ReplayJournal,
  steered: ReadonlyMap<number, readonly number[]>,
  isSettled: (index: number) => boolean,
): readonly Message[] {
  const last = replayed
    .of('')
    .findLast((index) => isSettled(index) && replayed.events[index]?.type === 'step-end');
  const indexes = last === undefined ? [] : (steered.get(last) ?? []);
  return indexes
    .filter((index) => !isSettled(index))
    .flatMap((index) => {
      const event = replayed.events[index];
      return event?.type === 'message-add' ? [event.message] : [];
    });
}

/** Creates a clock without retry delays, because the answer of the next attempt is known. */
function createRetryClock(env: Env): { readonly env: Env; readonly hear: (type: string) => void } {
  let isRetrying = false;
  return {
    hear: (type) => void (isRetrying = type === 'inference-retry'),
    env: {
      ...env,
      schedule(ms, callback) {
        const delay = isRetrying ? 0 : ms;
        isRetrying = false;
        return systemEnv.schedule(delay, callback);
      },
    },
  };
}
