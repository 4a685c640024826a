import { breakpoints } from '@vitrine/core/internal/features/breakpoints';
import { features } from '@vitrine/core/internal/features/features';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { BreakAddress } from '@vitrine/core/internal/graph/types';
import { equalJson } from '@vitrine/core/internal/kit/json';
import { fold } from '@vitrine/core/internal/run/apply';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import type { Feature, Recording, Run } from '@vitrine/core/internal/run/slots';
import { commit, stepNumber } from '@vitrine/core/internal/run/run';
import { nextCallOf } from './external-inputs.ts';
import type { ReplayJournal } from './replay-journal.ts';

/** The decisions of a run that hang on the moment of an act or a failure. The journal holds only what followed it. */
export function recordedDecisions(journal: ReplayJournal): Pick<Recording, 'nextCall' | 'rootOf'> {
  const { base, events } = journal;
  return {
    nextCall(path) {
      const agent = path.join('/');
      return nextCallOf(
        events.filter((event, index) => event.path.join('/') === agent && !journal.isRepeated(index)),
      );
    },
    rootOf(path, { id }) {
      const next = nextOfCall(journal, path, id);
      const before = events.filter(
        ({ type, path: { length } }, index) =>
          index < next && length === 0 && (type === 'execution-start' || type === 'approval-remember'),
      );
      return next < 0 ? null : fold(base, before);
    },
  };
}

/** The features of a replay: its calls wait at the breakpoints and begin in the order of the recording. */
export function featuresOfReplay(journal: ReplayJournal): readonly Feature[] {
  const askedAt = new Map<number, number>();
  /** The place of the journal at which each call went on last. */
  const begunAt = new Map<string, number>();
  /** True for the first question about an event at the present place. It is put off once, until a call has ended. */
  function isFirst(index: number): boolean {
    const { place } = journal;
    const isNew = askedAt.get(index) !== place;
    askedAt.set(index, place);
    return isNew;
  }
  const recordedBreaks: Feature = (run) => ({
    resume(_batch, { id }) {
      begunAt.set(`${run.path.join('/')} ${id}`, journal.place);
      return null;
    },
    waitsAt(point, call) {
      if (run.signal.aborted) return false;
      const hit = hitAt(journal, run, { point, step: stepNumber(run), toolCallId: call?.id ?? null });
      if (call !== null) {
        const next = nextOfCall(journal, run.path, call.id);
        const act = journal.dueAct(hit ?? next);
        if (act >= 0 && (hit !== null || isOfEarlierCall(journal, run.path, act, next))) {
          journal.hasten(act);
          return true;
        }
        const isEarly =
          hit === null
            ? isCutShort(journal, run, next)
            : journal.place < hit || hasToBegin(journal, begunAt, hit);
        if (isEarly && isFirst(hit ?? next)) return true;
      }
      if (hit !== null) commitHit(journal, run, hit);
      return hit !== null;
    },
  });
  const others = features.filter((feature) => feature !== breakpoints);
  return [recordedBreaks, turnsOfCalls(journal), ...others, turnsOfSettled(journal)];
}

/** Index of the hit of a breakpoint by which the recorded agent waited next at this place; null for none. */
function hitAt(journal: ReplayJournal, { path }: Run, at: BreakAddress): number | null {
  const agent = path.join('/');
  const hit = journal.openIndexes(agent).find((index) => {
    const event = journal.events[index];
    return event?.type === 'break-hit' && equalJson(event.place, at);
  });
  // Calls run side by side, and at every other place an agent does nothing else.
  return hit !== undefined && (at.point === 'tool' || journal.isNext(agent, hit)) ? hit : null;
}

/** True for the end of a call that a cut step may never have begun: no later call waited at a breakpoint. */
function isCutShort(journal: ReplayJournal, { path }: Run, next: number): boolean {
  const event = journal.events[next];
  if (event?.type !== 'call-settle' || event.outcome !== 'interrupted') return false;
  const isHit = (index: number): boolean => index < next && journal.events[index]?.type === 'break-hit';
  return !journal.openIndexes(path.join('/')).some(isHit);
}

/** True when a call that goes on during the wait at a breakpoint has not begun since its answer. */
function hasToBegin({ events }: ReplayJournal, begunAt: ReadonlyMap<string, number>, hit: number): boolean {
  const agent = events[hit]?.path.join('/');
  const own = events.flatMap((event, index) =>
    event.path.join('/') === agent && ('toolCallId' in event || event.type === 'break-release')
      ? [index]
      : [],
  );
  const next = events[own.find((index) => index > hit) ?? -1];
  if (next === undefined || !('toolCallId' in next) || isAnswerTo(next, next.toolCallId)) return false;
  const answered = own.findLast(
    (index) => index < hit && isAnswerTo(events[index] as AgentChange, next.toolCallId),
  );
  return answered !== undefined && (begunAt.get(`${agent} ${next.toolCallId}`) ?? -1) <= answered;
}

/** True for an answer of a person to a call. */
function isAnswerTo(event: AgentChange, toolCallId: string): boolean {
  const isAnswer =
    event.type === 'approval-answer' || (event.type === 'tool-end' && event.durationMs === null);
  return isAnswer && event.toolCallId === toolCallId;
}

function commitHit({ events }: ReplayJournal, run: Run, index: number): void {
  const hit = events[index];
  if (hit?.type !== 'break-hit') return;
  const { breakpointId, place } = hit;
  commit(run, { type: 'break-hit', breakpointId, place });
  const next = events.find(
    (event, later) => later > index && event.type === 'break-set' && event.breakpointId === breakpointId,
  );
  if (next?.type === 'break-set' && next.on === null && next.isOnce)
    commit({ ...run, path: [] }, { type: 'break-set', breakpointId, on: null, isOnce: true });
}

/** True for an act about a call, or in its subagent, that went on before the other one of the same agent began. */
function isOfEarlierCall(
  journal: ReplayJournal,
  path: readonly string[],
  act: number,
  other: number,
): boolean {
  const answer = journal.events[act];
  if (answer === undefined || path.some((id, at) => answer.path[at] !== id)) return false;
  const id = answer.path[path.length] ?? ('toolCallId' in answer ? answer.toolCallId : '');
  const next = nextOfCall(journal, path, id);
  return next >= 0 && next < other;
}

/** Lets parallel calls begin in the recorded order. */
function turnsOfCalls(journal: ReplayJournal): Feature {
  return (run) => ({
    async approve({ call }) {
      const next = nextOfCall(journal, run.path, call.id);
      if (next >= 0) await journal.turn(next);
      return true;
    },
  });
}

/** Lets a call that ends before it begins, as one with invalid arguments does, end in the recorded order. */
function turnsOfSettled(journal: ReplayJournal): Feature {
  return (run) => ({
    async validate(_batch, { id }) {
      const next = nextOfCall(journal, run.path, id);
      if (journal.events[next]?.type === 'call-settle') await journal.turn(next);
      return true;
    },
  });
}

/** Index of the next event of a call, or of its subagent, that the loop repeats; -1 for none. */
function nextOfCall(journal: ReplayJournal, path: readonly string[], id: string): number {
  const agent = path.join('/');
  const below = [...path, id].join('/');
  return journal.events.findIndex((event, index) => {
    if (journal.isRepeated(index)) return false;
    const at = event.path.join('/');
    return at === agent ? 'toolCallId' in event && event.toolCallId === id : `${at}/`.startsWith(`${below}/`);
  });
}

/** The messages that a person added after the step that has just ended. */
export function steeredMessages(journal: ReplayJournal): readonly Message[] {
  const { events, inputs } = journal;
  const last = events.findLastIndex(
    ({ type, path }, index) => type === 'step-end' && path.length === 0 && journal.isRepeated(index),
  );
  return (inputs.steered.get(last) ?? []).flatMap((index) => {
    const event = events[index];
    return event?.type === 'message-add' && !journal.isRepeated(index) ? [event.message] : [];
  });
}
