import { type Env, systemEnv } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import { fold } from '../../run/apply.ts';
import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import { createJournal, type Journal } from '../../run/journal.ts';
import { stateAt } from '../../run/state-at.ts';
import { agentOf, describe, indexesByAgent, isCut, sourceOf } from './side-effects.ts';
import type { Divergence } from './divergence.ts';
import type { ReadJournal } from './journal-document.ts';

/** A difference, and its path. */
export type Difference = Pick<Divergence, 'path' | 'recorded' | 'now'> & Partial<Pick<Divergence, 'source'>>;

/** The recorded events, and a journal that takes them one at a time. */
export type ReplayJournal = {
  readonly events: readonly AgentChange[];
  /** The indexes of an agent's events. */
  readonly of: (agent: string) => readonly number[];
  readonly journal: Journal;
  readonly env: Env;
  /** Takes a recorded event; when events came in another order, it gets the next number. */
  readonly take: (index: number) => void;
  /** Marks an event as taken. */
  readonly skip: (index: number) => void;
  /** Commits an event that was not recorded. */
  readonly insert: (path: readonly string[], body: AgentEventBody) => AgentChange | null;
  readonly isTaken: (index: number) => boolean;
  /** The number of events taken, and the first index that was not. */
  readonly count: () => number;
  readonly place: () => number;
  readonly state: () => AgentState;
  /** True when all events of a recording were taken that ends in the middle of a run. */
  readonly isOver: () => boolean;
  /** True when the call of an answer has reached its question, before which nobody can answer. */
  readonly isAsked: (index: number) => boolean;
  readonly divergence: () => Divergence | null;
  readonly diverge: (at: { readonly path: readonly string[] }, what: string, found: Difference) => void;
  /** Makes an event as a whole the difference. */
  readonly miss: (event: AgentChange | undefined) => void;
};

/** Creates a replay journal. `onMove` is called with every event that was taken, and at the first difference. */
export function createReplayJournal({ base, events }: ReadJournal, onMove: () => void): ReplayJournal {
  const byAgent = indexesByAgent(events);
  const taken = new Set<number>();
  let place = 0;
  let isInOrder = true;
  let now = base.updatedAt;
  let divergence: Divergence | null = null;
  const env: Env = { ...systemEnv, now: () => Math.max(now, events[place]?.at ?? now) };
  const journal = createJournal(base, { env });
  const of = (agent: string): readonly number[] => byAgent.get(agent) ?? [];

  function settle(index: number): void {
    taken.add(index);
    while (taken.has(place)) place++;
  }

  function take(index: number): void {
    const event = events[index];
    if (event === undefined || taken.has(index)) return;
    const { seq: _seq, at, path, ...body } = event;
    now = at;
    isInOrder &&= index === place && journal.take(event);
    // When events came in another order, the agent may be gone; then the event changes nothing.
    if (!isInOrder) journal.commit(path, body as AgentEventBody);
    settle(index);
    onMove();
  }

  function isAsked(index: number): boolean {
    const answer = events[index] as AgentChange;
    // A remembered decision follows its answer, which may be to a subagent.
    if (answer.type === 'approval-remember') {
      const said = events.findLastIndex(({ type }, at) => at < index && type === 'approval-answer');
      return said === -1 || taken.has(said);
    }
    if (!('toolCallId' in answer)) return true;
    const last = of(agentOf(answer)).findLast((before) => {
      const event = events[before] as AgentChange;
      return before < index && 'toolCallId' in event && event.toolCallId === answer.toolCallId;
    });
    return last === undefined || taken.has(last);
  }

  function diverge(at: { readonly path: readonly string[] }, what: string, found: Difference): void {
    const execution = stateAt(journal.state(), at.path)?.execution ?? null;
    const stepNumber = execution === null ? null : execution.stepExecutions.length + 1;
    divergence ??= { stepNumber, agent: at.path, what, source: null, ...found };
    onMove();
  }

  function miss(event: AgentChange | undefined): void {
    const [source, recorded] = event ? [sourceOf(event), describe(event)] : [null, null];
    diverge(event ?? { path: [] }, 'what the agent does', { path: '', source, recorded, now: null });
  }

  return {
    events,
    of,
    journal,
    env,
    take,
    skip(index) {
      isInOrder = false;
      settle(index);
    },
    insert(path, body) {
      isInOrder = false;
      return journal.commit(path, body);
    },
    isTaken: (index) => taken.has(index),
    count: () => taken.size,
    place: () => place,
    state: () => (isInOrder ? journal.state() : fold(base, events)),
    isOver: () => place >= events.length && isCut(journal.state()),
    isAsked,
    divergence: () => divergence,
    diverge,
    miss,
  };
}
