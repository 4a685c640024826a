import { breakpoints } from '@vitrine/core/internal/features/breakpoints';
import { features } from '@vitrine/core/internal/features/features';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { BreakAddress } from '@vitrine/core/internal/graph/types';
import { equalJson } from '@vitrine/core/internal/kit/json';
import { fold } from '@vitrine/core/internal/run/apply';
import type { Feature, Recording, Run } from '@vitrine/core/internal/run/slots';
import { commit, stepNumber } from '@vitrine/core/internal/run/run';
import { nextCallOf } from './external-inputs.ts';
import type { ReplayJournal } from './replay-journal.ts';

/**
 * The decisions of a run that hang on the moment of a person's act or of a failure. The journal does not hold that
 * moment, and it does hold what the run did, so a replay decides by the recording.
 */
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
      const agent = path.join('/');
      const next = events.findIndex(
        (event, index) =>
          event.path.join('/') === agent &&
          'toolCallId' in event &&
          event.toolCallId === id &&
          !journal.isRepeated(index),
      );
      const before = events.filter(
        ({ type, path: { length } }, index) =>
          index < next && length === 0 && (type === 'execution-start' || type === 'approval-remember'),
      );
      return next < 0 ? null : fold(base, before);
    },
  };
}

/** The features of a replay: it waits at the breakpoints at which the recorded run waited. */
export function featuresOfReplay(journal: ReplayJournal): readonly Feature[] {
  const recordedBreaks: Feature = (run) => ({
    waitsAt: (point, call) =>
      waitsAt(journal, run, { point, step: stepNumber(run), toolCallId: call?.id ?? null }),
  });
  return [recordedBreaks, ...features.filter((feature) => feature !== breakpoints)];
}

/**
 * True when the recorded agent waited at this place, also when a person acts before that: then the agent asks again
 * behind the act.
 */
function waitsAt(journal: ReplayJournal, run: Run, at: BreakAddress): boolean {
  const { events } = journal;
  const agent = run.path.join('/');
  const index = journal.openIndexes(agent).find((open) => {
    const event = events[open];
    return event?.type === 'break-hit' && equalJson(event.place, at);
  });
  const hit = index === undefined ? undefined : events[index];
  if (index === undefined || hit?.type !== 'break-hit' || run.signal.aborted) return false;
  // Calls run side by side, and at every other place an agent does nothing else.
  if (at.point !== 'tool' && !journal.isNext(agent, index)) return false;
  if (at.point === 'tool' && journal.isActDue(index)) return true;
  const { breakpointId, place } = hit;
  commit(run, { type: 'break-hit', breakpointId, place });
  const next = events.find(
    (event, later) => later > index && event.type === 'break-set' && event.breakpointId === breakpointId,
  );
  const wasOnce = next?.type === 'break-set' && next.on === null && next.isOnce;
  if (wasOnce) commit({ ...run, path: [] }, { type: 'break-set', breakpointId, on: null, isOnce: true });
  return true;
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
