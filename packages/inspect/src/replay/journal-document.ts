import { fromJSON, toJSON } from '@vitrine/core/internal/graph/document/agent-state';
import type { StateDocument } from '@vitrine/core/internal/graph/document/document';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import * as errors from '@vitrine/core/internal/kit/errors';
import { isKnownEvent } from '@vitrine/core/internal/run/apply';
import { wrongFieldOf } from '@vitrine/core/internal/run/event-shapes';
import type { AgentChange, AgentEvent } from '@vitrine/core/internal/run/events';
import { mergeDeltas } from '@vitrine/core/internal/run/merge-deltas';
import { eventsOf, type JournalRecord, stateBefore } from '../journal-record.ts';
import type { RecordedRun } from '../runs-of.ts';

const journalFormat = 1;

/** A journal as data, for storage, sending, export and replay. */
export type JournalDocument = {
  readonly id: string;
  /** The version of this form. */
  readonly format: number;
  /** The state before the first event, in the form of `AgentState.toJSON`. */
  readonly base: StateDocument;
  /** Every event that changed it, in order. */
  readonly events: readonly AgentChange[];
};

/** The journal of a run with all its events; null for others. */
export function journalOfRun(record: JournalRecord, run: RecordedRun): JournalDocument | null {
  if (run.known !== 'events' || run.last < run.first) return null;
  const events = eventsOf(record)
    .slice(run.first, run.last + 1)
    .map(({ event }) => event);
  return journalDocument(run.executionId, stateBefore(record, run.first), events);
}

/** A journal as a document. Signals are left out, and deltas of one part are merged. */
export function journalDocument(
  id: string,
  base: AgentState,
  events: readonly { readonly seq: number | null }[],
): JournalDocument {
  const changes = (events as readonly AgentChange[]).filter(({ seq }) => seq !== null);
  return { id, format: journalFormat, base: toJSON(base), events: mergeDeltas(changes) as AgentChange[] };
}

export type ReadJournal = { readonly base: AgentState; readonly events: readonly AgentChange[] };

/** Reads a journal document. @throws AgentError `state-invalid` with the path, `state-version-unsupported` */
export function readJournal({ format, base, events }: JournalDocument): ReadJournal {
  if (format !== journalFormat)
    throw errors.stateVersionUnsupported({
      kind: 'journal',
      path: 'format',
      version: Number(format),
      supported: journalFormat,
      advice: 'Update the library to read it.',
    });
  if (!Array.isArray(events)) throw errors.stateInvalid({ path: 'events', what: 'it is no list' });
  for (const [index, event] of (events as readonly unknown[]).entries()) {
    const path = `events.${index}`;
    if (!isEvent(event) || event.seq === null)
      throw errors.stateInvalid({ path, what: 'it is no event of a journal' });
    if (!isKnownEvent(event))
      throw errors.stateInvalid({ path, what: `an event ${JSON.stringify(event.type)} is not known` });
    const wrong = wrongFieldOf(event);
    if (wrong !== null)
      throw errors.stateInvalid({
        path: `${path}.${wrong}`,
        what: `it does not fit an event "${event.type}"`,
      });
  }
  return { base: fromJSON(base), events };
}

/** True for a value with the fields of every event; its type may be unknown. */
export function isEvent(value: unknown): value is AgentEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { type, seq, at, path } = value as { readonly [name: string]: unknown };
  return (
    typeof type === 'string' &&
    (seq === null || Number.isSafeInteger(seq)) &&
    typeof at === 'number' &&
    Array.isArray(path) &&
    path.every((id) => typeof id === 'string')
  );
}
