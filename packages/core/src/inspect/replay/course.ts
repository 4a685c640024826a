import type { AgentStopError } from '../../graph/agent-stop-error.ts';
import { type Env, systemEnv } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import type { JournalLease } from '../../run/journal.ts';
import { stateAt } from '../../run/state-at.ts';
import { createAbortMoments } from './abort-moments.ts';
import { barriers, changesNothing, isOfApplication, soft } from './deeds.ts';
import type { Divergence } from './divergence.ts';
import { createGates } from './gates.ts';
import type { ReadJournal } from './journal-document.ts';
import { createMatcher, type Matcher } from './matcher.ts';
import { rolesIn } from './roles.ts';
import { createTrack, type Track } from './track.ts';

/**
 * A recording while it is gone through again. Its journal takes the recorded events, in their order and as they were
 * stamped; what the loop commits is compared with them and never taken itself.
 */
export type Course = {
  readonly lease: JournalLease;
  readonly state: () => AgentState;
  /** Takes what others did, as far as it comes next. */
  readonly advance: () => void;
  /** Resolves when everything before the event of an index is there. */
  readonly turn: (index: number) => Promise<void>;
  /** For work that never ended: it waits until the run is aborted. */
  readonly untilAbort: () => Promise<never>;
  /** The index of the event with which the work of a key was begun last. */
  readonly begun: (key: string) => number | undefined;
  readonly takeSteered: () => readonly Message[];
  readonly isAtEnd: () => boolean;
  /** All was taken of a recording that ends in the middle of a run. */
  readonly isOver: () => boolean;
  /** How many events were taken. */
  readonly place: () => number;
  readonly divergence: () => Divergence | null;
  /** Nothing moves: whoever waits for the next answer gets it, though something before it is not there yet. */
  readonly nudge: () => void;
  /** Nothing goes on any more: what was recorded next becomes the difference. */
  readonly giveUp: () => void;
  /** What was recorded and not done again becomes the difference. */
  readonly close: () => void;
  readonly env: Env;
};

/** How a recording is gone through. */
export type CourseOptions = {
  readonly isMasked: boolean;
  /** An abort leaves no mark of its own: so many events before its first trace it is tried. */
  readonly abortsBefore: number;
  /** Answers of people are taken at once, also where it is not known that they were seen then. */
  readonly isEager: boolean;
  /** Called where the recording was aborted. */
  readonly onAbort: (reason: AgentStopError) => void;
  /** Called with every event that was taken, and at the first difference. */
  readonly onMove: () => void;
};

/** Goes through a recording from its beginning. */
export function createCourse(journal: ReadJournal, options: CourseOptions): Course {
  const { isMasked, onAbort, onMove, abortsBefore, isEager } = options;
  const { events } = journal;
  const { given, steered, aborts } = rolesIn(events);
  const moments = createAbortMoments(aborts, abortsBefore, onAbort);
  const track = createTrack(journal, () => {
    moments.reach(track.count());
    onMove();
  });
  const matcher = createMatcher(track, given, isMasked);
  const gates = createGates();
  const begun = new Map<string, number>();
  const clock = createRetryClock(track.env);
  let isStuck = false;
  const hasFailed = (): boolean => track.divergence() !== null;
  const giveUp = (): void => track.miss(events[track.place()]);
  const isTooSoon = (index: number): boolean => !isEager && isUnseen(track, given, gates.isAwaited, index);

  function advance(): void {
    while (!hasFailed() && given.has(track.place()) && !isTooSoon(track.place())) track.take(track.place());
    gates.open(track.place());
  }

  function commit(path: readonly string[], body: AgentEventBody): AgentChange | null {
    if (hasFailed() || stateAt(track.journal.state(), path) === null) return null;
    const agent = path.join('/');
    const index = matcher.find(agent, body);
    const recorded = index === null ? undefined : events[index];
    if (index === null || recorded === undefined) return commitUnrecorded(path, body);
    if (recorded.type === 'inference-start' && !matcher.isSamePrompt(recorded, body)) return null;
    takeAsked(track, given, index);
    if (barriers.has(recorded.type) && !matcher.isDoneBefore(agent, index)) return null;
    matcher.settle(index);
    track.take(index);
    takeRemembered(track, given, index + 1);
    if (recorded.type === 'inference-start' || recorded.type === 'tool-start') begun.set(recorded.key, index);
    advance();
    return hasFailed() ? null : recorded;
  }

  function commitUnrecorded(path: readonly string[], body: AgentEventBody): AgentChange | null {
    const committed = insertUnrecorded(track, matcher, path, body);
    while (committed !== null && given.has(track.place()) && !hasFailed()) track.take(track.place());
    if (committed !== null) advance();
    return committed;
  }

  /** While nobody runs, nobody will do what is done already: of hooks that do the same, the second does nothing. */
  function advanceIdle(): void {
    for (advance(); !hasFailed() && isDoneAlready(track, given); advance()) track.take(track.place());
  }

  const { state, subscribe } = track.journal;
  return {
    ...track,
    env: clock.env,
    lease: { state, commit, subscribe, tell: (_path, { type }) => clock.hear(type) },
    advance: advanceIdle,
    turn(index) {
      if (index <= track.place()) return Promise.resolve();
      const turn = gates.wait(index);
      advance();
      return turn;
    },
    untilAbort() {
      isStuck = true;
      return new Promise(() => undefined);
    },
    begun: (key) => begun.get(key),
    takeSteered: () => nextSteered(track, steered, matcher.isSettled),
    isAtEnd: () => track.place() >= events.length,
    nudge() {
      if (gates.openNext() || !isStuck) return;
      isStuck = false;
      if (!moments.hurry(track.count())) giveUp();
    },
    giveUp,
    close: () => missUndone(track),
  };
}

/** What was not recorded may be done when it changes nothing, or is a matter of moments; else it is the difference. */
function insertUnrecorded(
  track: Track,
  matcher: Matcher,
  path: readonly string[],
  body: AgentEventBody,
): AgentChange | null {
  if (track.isOver()) return null;
  const isNothing = changesNothing(track.journal.state(), { ...body, path, seq: 0, at: 0 });
  if (soft.has(body.type) || isNothing) return track.insert(path, body);
  matcher.miss(path, body);
  return null;
}

/** What others did before an event. */
function takeAsked(track: Track, given: ReadonlySet<number>, end: number): void {
  for (let before = track.place(); before < end; before++)
    if (given.has(before) && track.isAsked(before)) track.take(before);
}

/** What comes next was done, and would change nothing more. */
function isDoneAlready(track: Track, given: ReadonlySet<number>): boolean {
  const event = track.events[track.place()];
  return event !== undefined && !given.has(track.place()) && changesNothing(track.journal.state(), event);
}

/**
 * What a person had remembered right behind an event decides about calls of every agent: it is there for the next of them,
 * also where something of another agent that came before is late.
 */
function takeRemembered(track: Track, given: ReadonlySet<number>, start: number): void {
  let end = start;
  while (given.has(end)) end++;
  const said = track.events.slice(start, end);
  const last = said.findLastIndex(({ type }) => type === 'approval-remember');
  for (let at = 0; at <= last; at++)
    if (said[at]?.type.startsWith('approval-') && track.isAsked(start + at)) track.take(start + at);
}

/** What was recorded, changed something and was not done again. */
function missUndone(track: Track): void {
  const undone = track.events.find(
    (event, index) =>
      !track.isTaken(index) &&
      !soft.has(event.type) &&
      !isOfApplication(event) &&
      !changesNothing(track.journal.state(), event),
  );
  if (undone) track.miss(undone);
}

/**
 * An answer that is taken too soon would keep the run from what it did first. What shows that it was seen, or somebody
 * who waits for what comes next, calls for it; else it is taken together with that.
 */
function isUnseen(
  track: Track,
  given: ReadonlySet<number>,
  isAwaited: (index: number) => boolean,
  index: number,
): boolean {
  const answer = track.events[index] as AgentChange;
  if (answer.type !== 'approval-answer' && answer.type !== 'tool-end') return false;
  let next = index;
  for (; given.has(next) || track.isTaken(next); next++)
    // What is remembered counts for the calls beside it as well.
    if (track.events[next]?.type === 'approval-remember') return false;
  const event = track.events[next];
  if (event === undefined || isAwaited(next) || event.type === 'execution-resume') return false;
  return !('toolCallId' in event) || event.toolCallId !== answer.toolCallId;
}

/** What a person had put into the run behind the step that has just ended. */
function nextSteered(
  track: Track,
  steered: ReadonlyMap<number, readonly number[]>,
  isSettled: (index: number) => boolean,
): readonly Message[] {
  const last = track.of('').findLast((index) => isSettled(index) && track.events[index]?.type === 'step-end');
  const indexes = last === undefined ? [] : (steered.get(last) ?? []);
  return indexes
    .filter((index) => !isSettled(index))
    .flatMap((index) => {
      const event = track.events[index];
      return event?.type === 'message-add' ? [event.message] : [];
    });
}

/** Nobody waits for the next attempt, whose answer is known: the delay that is told before it is none. */
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
