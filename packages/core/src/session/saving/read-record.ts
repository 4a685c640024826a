import * as errors from '../../kit/errors.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import type { AgentState } from '../../graph/types.ts';
import { jsonSize } from '../../kit/json.ts';
import { isKnownEvent } from '../../run/apply.ts';
import type { AgentChange } from '../../run/events.ts';
import { stateAt } from '../../run/state-at.ts';
import { liveRecord, type LiveRecord } from '../stores/live-record.ts';
import type { Head, Stored } from './plan-write.ts';

/** A stored session after reading: its live record, and the base of the next write. */
export type ReadRecord = {
  readonly record: SessionRecord;
  readonly live: LiveRecord;
  readonly stored: Stored;
};

/**
 * Folds the stored tail after checking that it is complete.
 * @throws AgentError `state-version-unsupported` for an event of a later version.
 * @throws AgentError `state-invalid` for a tail that cannot be folded or lacks events.
 */
export function readRecord(record: SessionRecord): ReadRecord {
  const { state: snapshot, journal, branches, checkpoints: _kept, version, ...rest } = record;
  const { epoch: _epoch, taken: _taken, ...head } = rest;
  const { tail } = journal;
  const newer = tail.find((event) => !isKnownEvent(event));
  if (newer !== undefined) throw tooNew(newer);
  checkNumbers(snapshot, tail);
  const live = guard('journal.tail', () => liveRecord(record));
  return {
    record,
    live,
    stored: {
      version,
      head: head satisfies Head,
      journalId: journal.id,
      records: journal.records,
      state: live.state,
      snapshot,
      tailSize: jsonSize(tail),
      branches,
    },
  };
}

/** Checks that the events of each agent are numbered without a gap. A merged event counts as its parts. */
export function checkNumbers(snapshot: AgentState, tail: readonly AgentChange[]): void {
  const known = new Map<string, number>();
  for (const [at, event] of tail.entries()) {
    const path = `journal.tail.${at}`;
    const agent = event.path.join('/');
    const last = known.get(agent) ?? guard(path, () => stateAt(snapshot, event.path)?.seq);
    if (last === undefined)
      throw errors.stateInvalid({ path, what: 'the agent that it speaks of is not there' });
    const first = event.seq - ('n' in event ? (event.n ?? 1) : 1) + 1;
    if (first !== last + 1)
      throw errors.stateInvalid({ path, what: `event ${last + 1} should stand here, ${first} does` });
    known.set(agent, event.seq);
    if (event.type === 'subagent-start')
      known.set([...event.path, event.toolCallId].join('/'), event.child.seq);
  }
}

export function guard<Value>(path: string, fold: () => Value): Value {
  try {
    return fold();
  } catch (thrown) {
    if (isAgentError(thrown)) throw thrown;
    throw errors.stateInvalid({ path, what: 'an event cannot be applied' });
  }
}

export function tooNew({ type }: { readonly type: string }): AgentError {
  const advice = `It holds events of the type ${JSON.stringify(type)}: reload the page, so that the newest version reads it. Nothing was changed.`;
  return errors.stateVersionUnsupported({ kind: 'journal', path: '', version: 2, supported: 1, advice });
}
