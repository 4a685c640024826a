import type { Env } from '../../graph/env.ts';
import { systemEnv } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import { AgentStopError } from '../../graph/agent-stop-error.ts';
import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import { equalJson } from '../../kit/equal-json.ts';
import type { JsonValue } from '../../kit/json.ts';
import { apply, fold } from '../../run/apply.ts';
import { createJournal, type JournalLease } from '../../run/journal.ts';
import { stateAt } from '../../run/state-at.ts';
import { comparable, promptOf, slotOf, told } from './told.ts';
import { type Divergence, firstDifference } from './divergence.ts';
import type { ReadJournal } from './journal-document.ts';
import { rolesIn } from './roles.ts';

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

/** The end of what may be done in another order: only behind it may what comes after it be done. */
const barriers: ReadonlySet<string> = new Set([
  'step-start',
  'step-end',
  'inference-start',
  'inference-end',
  'execution-start',
  'execution-end',
]);

/** Whether a run waited for an answer, or had it just in time, is a matter of moments. */
const soft: ReadonlySet<string> = new Set(['execution-pause', 'execution-resume', 'budget-wait']);

export function createCourse({ base, events }: ReadJournal, options: CourseOptions): Course {
  const { isMasked, onAbort, onMove, abortsBefore, isEager } = options;
  const { given, steered, ...roles } = rolesIn(events);
  const aborts = new Map(roles.aborts);
  const done = new Set<number>();
  const begun = new Map<string, number>();
  const byAgent = indexesByAgent(events);
  const firstOpen = new Map<string, number>();
  const waiting = new Map<number, () => void>();
  const taken = new Set<number>();
  let place = 0;
  let isInOrder = true;
  let isStuck = false;
  let now = base.updatedAt;
  let divergence: Divergence | null = null;
  let isRetrying = false;
  const env: Env = {
    ...systemEnv,
    now: () => Math.max(now, events[place]?.at ?? now),
    schedule(ms, callback) {
      // Nobody waits for the next attempt, whose answer is known.
      const delay = isRetrying ? 0 : ms;
      isRetrying = false;
      return systemEnv.schedule(delay, callback);
    },
  };
  const journal = createJournal(base, { env });

  /** Nobody answers a call before it has come to the question. */
  function isAsked(index: number): boolean {
    const answer = events[index] as AgentChange;
    if (!('toolCallId' in answer)) return true;
    const earlier = (byAgent.get(agentOf(answer)) ?? []).filter((before) => before < index);
    const last = earlier.findLast((before) => {
      const event = events[before] as AgentChange;
      return 'toolCallId' in event && event.toolCallId === answer.toolCallId;
    });
    return last === undefined || taken.has(last);
  }

  function skip(index: number): void {
    isInOrder = false;
    taken.add(index);
    while (taken.has(place)) place++;
  }

  function abortWhere(count: number): void {
    const signal = aborts.get(count + abortsBefore);
    if (signal) onAbort(new AgentStopError(signal));
  }

  /** Nobody but an abort can bring on what waits for one. */
  function endWait(): void {
    isStuck = false;
    const index = [...aborts.keys()].find((at) => at + 1 >= taken.size);
    const signal = index === undefined ? undefined : aborts.get(index);
    aborts.delete(index ?? -1);
    if (signal) return onAbort(new AgentStopError(signal));
    giveUp();
  }

  function giveUp(): void {
    const next = events[place];
    diverge(next ?? { path: [] }, 'what the agent does', {
      path: '',
      recorded: next ? describe(next) : null,
      now: null,
    });
  }

  /** Takes an event as it was recorded; where others came in another order, under the next number. */
  function take(index: number): void {
    const event = events[index];
    if (event === undefined || taken.has(index)) return;
    const { seq: _seq, at, path, ...body } = event;
    now = at;
    isInOrder &&= index === place && journal.take(event);
    if (!isInOrder && journal.commit(path, body as AgentEventBody) === null)
      return diverge(event, describe(event), { path: '', recorded: describe(event), now: null });
    taken.add(index);
    while (taken.has(place)) place++;
    abortWhere(taken.size);
    onMove();
  }

  /**
   * An answer that is taken too soon would keep the run from what it did first. What shows that it was seen, or somebody
   * who waits for what comes next, calls for it; else it is taken together with that.
   */
  function isTooSoon(index: number): boolean {
    const answer = events[index] as AgentChange;
    if (isEager || (answer.type !== 'approval-answer' && answer.type !== 'tool-end')) return false;
    let next = index;
    for (; given.has(next) || taken.has(next); next++)
      // What is remembered counts for the calls beside it as well.
      if (events[next]?.type === 'approval-remember') return false;
    const event = events[next];
    if (event === undefined || waiting.has(next) || event.type === 'execution-resume') return false;
    return !('toolCallId' in event) || event.toolCallId !== answer.toolCallId;
  }

  function advance(): void {
    for (;;) {
      if (divergence !== null || place >= events.length || !given.has(place) || isTooSoon(place)) break;
      take(place);
    }
    for (const [index, resolve] of waiting) {
      if (index > place) continue;
      waiting.delete(index);
      resolve();
    }
  }

  function commit(path: readonly string[], body: AgentEventBody): AgentChange | null {
    if (divergence !== null || stateAt(journal.state(), path) === null) return null;
    const agent = path.join('/');
    const index = matching(agent, body);
    const recorded = index === null ? undefined : events[index];
    if (index === null || recorded === undefined) {
      if (soft.has(body.type) && !isOver()) return commitUnrecorded(path, body);
      if (!isOver()) missed(path, body);
      return null;
    }
    if (recorded.type === 'inference-start' && !isSamePrompt(recorded, body)) return null;
    for (let before = place; before < index; before++) if (given.has(before) && isAsked(before)) take(before);
    if (barriers.has(recorded.type) && !isDoneBefore(agent, index)) return null;
    done.add(index);
    take(index);
    if (recorded.type === 'inference-start' || recorded.type === 'tool-start') begun.set(recorded.key, index);
    advance();
    return divergence === null ? recorded : null;
  }

  function commitUnrecorded(path: readonly string[], body: AgentEventBody): AgentChange | null {
    isInOrder = false;
    const committed = journal.commit(path, body);
    while (given.has(place) && divergence === null) take(place);
    advance();
    return committed;
  }

  /** Behind an event that parts what comes after it from what was before, nothing is made up for. */
  function isDoneBefore(agent: string, index: number): boolean {
    for (const before of byAgent.get(agent) ?? []) {
      if (before >= index) break;
      const event = events[before] as AgentChange;
      if (taken.has(before)) continue;
      if (soft.has(event.type)) {
        skip(before);
        continue;
      }
      if (isOfApplication(event) || changesNothing(journal.state(), event)) {
        take(before);
        continue;
      }
      diverge(event, 'what the agent does', { path: '', recorded: describe(event), now: null });
      return false;
    }
    return true;
  }

  function isOver(): boolean {
    return place >= events.length && isCut(journal.state());
  }

  /** The recorded event that the loop does again: the first equal one that nothing parts from it. */
  function matching(agent: string, body: AgentEventBody): number | null {
    const own = byAgent.get(agent) ?? [];
    const wanted = JSON.stringify(comparable(told(body), isMasked));
    let at = firstOpen.get(agent) ?? 0;
    while (at < own.length && done.has(own[at] as number)) at++;
    firstOpen.set(agent, at);
    for (; at < own.length; at++) {
      const index = own[at] as number;
      const event = events[index] as AgentChange;
      if (done.has(index)) continue;
      const isSame = event.type === body.type && slotOf(event) === slotOf(body);
      if (isSame && JSON.stringify(comparable(told(event), isMasked)) === wanted) return index;
      if (barriers.has(event.type) && !given.has(index)) return null;
    }
    return null;
  }

  function isSamePrompt(recorded: AgentChange, body: AgentEventBody): boolean {
    const { seq, at, path } = recorded;
    const before = promptOf(journal.state(), recorded, isMasked);
    const now = promptOf(journal.state(), { ...body, seq, at, path }, isMasked);
    const found = firstDifference(before, now);
    if (found === null) return true;
    diverge(recorded, 'the prompt', found);
    return false;
  }

  /** Says how what the loop does differs from what was recorded. */
  function missed(path: readonly string[], body: AgentEventBody): void {
    const own = (byAgent.get(path.join('/')) ?? []).filter((index) => !done.has(index) && !given.has(index));
    const near = own.find((index) => slotOf(events[index] as AgentChange) === slotOf(body)) ?? own[0];
    const recorded = near === undefined ? undefined : events[near];
    const place = { ...body, path };
    if (recorded?.type !== body.type) {
      const found = { path: '', recorded: recorded ? describe(recorded) : null, now: describe(body) };
      return diverge(place, 'what the agent does', found);
    }
    const found = firstDifference(comparable(told(recorded), isMasked), comparable(told(body), isMasked));
    diverge(place, describe(body), found ?? { path: '', recorded: describe(recorded), now: null });
  }

  function diverge(
    { path }: { readonly path: readonly string[] },
    what: string,
    found: Pick<Divergence, 'path' | 'recorded' | 'now'>,
  ): void {
    divergence ??= { stepNumber: stepOf(path), agent: path, what, ...found };
    onMove();
  }

  function stepOf(path: readonly string[]): number | null {
    const execution = stateAt(journal.state(), path)?.execution ?? null;
    return execution === null ? null : execution.stepExecutions.length + 1;
  }

  return {
    env,
    state: () => (isInOrder ? journal.state() : fold(base, events)),
    lease: {
      state: journal.state,
      commit,
      subscribe: journal.subscribe,
      tell(_path, { type }) {
        isRetrying = type === 'inference-retry';
      },
    },
    advance,
    turn(index) {
      if (index <= place) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.set(index, resolve);
        advance();
      });
    },
    untilAbort() {
      isStuck = true;
      return new Promise(() => undefined);
    },
    begun: (key) => begun.get(key),
    takeSteered() {
      const own = byAgent.get('') ?? [];
      const last = own.findLast((index) => done.has(index) && events[index]?.type === 'step-end');
      const indexes = last === undefined ? [] : (steered.get(last) ?? []);
      return indexes
        .filter((index) => !done.has(index))
        .flatMap((index) => {
          const event = events[index];
          return event?.type === 'message-add' ? [event.message] : [];
        });
    },
    isAtEnd: () => place >= events.length,
    isOver,
    place: () => place,
    divergence: () => divergence,
    nudge() {
      const next = Math.min(...waiting.keys());
      if (!Number.isFinite(next)) return isStuck ? endWait() : undefined;
      const resolve = waiting.get(next);
      waiting.delete(next);
      resolve?.();
    },
    giveUp,
    close() {
      for (const [index, event] of events.entries()) {
        if (taken.has(index) || soft.has(event.type) || isOfApplication(event)) continue;
        if (changesNothing(journal.state(), event)) continue;
        return diverge(event, 'what the agent does', { path: '', recorded: describe(event), now: null });
      }
    },
  };
}

function agentOf({ path }: AgentChange): string {
  return path.join('/');
}

function indexesByAgent(events: readonly AgentChange[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [index, { path }] of events.entries()) {
    const agent = path.join('/');
    const own = found.get(agent);
    if (own) own.push(index);
    else found.set(agent, [index]);
  }
  return found;
}

/** True for a recording that ends in the middle of a run. */
function isCut({ execution }: AgentState): boolean {
  return execution?.status === 'in-progress' && execution.waitingSince === null;
}

/** Signals and errors that an application put into the state name the execution, like those of hooks. */
function isOfApplication(event: AgentChange): boolean {
  return (event.type === 'stop-signal' || event.type === 'error-record') && event.executionId !== undefined;
}

/** Of two hooks that did the same side by side, the later one may find it done. */
function changesNothing(root: AgentState, event: AgentChange): boolean {
  const before = stateAt(root, event.path);
  if (before === null || !('source' in event) || event.type === 'continuation-request') return false;
  const after = apply(before, { ...event, path: [], seq: before.seq + 1 });
  const content = ({ context, plugins, llmConfig, execution }: AgentState): JsonValue =>
    ({ context, plugins, llmConfig, execution }) as unknown as JsonValue;
  return equalJson(content(before), content(after));
}

function describe(event: AgentEventBody): string {
  const source = 'source' in event && event.source !== null ? ` by ${event.source}` : '';
  const tool = 'toolName' in event && event.toolName !== undefined ? ` of ${event.toolName}` : '';
  return `${event.type}${tool}${source}`;
}
