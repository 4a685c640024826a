import { AgentError } from '../../kit/agent-error.ts';
import { apply } from '../../run/apply.ts';
import { createJournalLog } from '../journal-log.ts';
import type { JournalRecord, RecordedPage } from '../journal-record.ts';
import { type Redaction, redactText } from '../redact.ts';
import { redactJournal } from './redact-journal.ts';
import { type JournalDocument, journalDocument, readJournal } from '../replay/journal-document.ts';

/** What a trace file says it is. */
export const traceFormat = 'vitrine-trace';
/** The version that this library writes, and the last that it reads. */
export const traceVersion = 1;
/** A longer file is not read, in characters. */
const longestTrace = 40 * 2 ** 20;
const deepest = 200;

/** What was recorded of a session as one file. */
export type TraceDocument = {
  readonly format: typeof traceFormat;
  readonly version: number;
  /** Unix epoch milliseconds. */
  readonly exportedAt: number;
  /** The agent's name. */
  readonly name: string;
  /** Secrets were taken out: what a replay does is compared without them. */
  readonly isRedacted: boolean;
  /** Oldest first. */
  readonly journals: readonly JournalDocument[];
  /** What is not in it. */
  readonly notRecorded: Pick<JournalRecord, 'missed' | 'dropped'>;
};

/** A trace as it is about to leave, and what was taken out of it. */
export type TraceExport = { readonly document: TraceDocument; readonly redactions: readonly Redaction[] };

/** What `exportTrace` may be given. */
export type TraceOptions = {
  /** The agent's name. */
  readonly name: string;
  /** Unix epoch milliseconds. Default: now. */
  readonly exportedAt?: number;
  /** False keeps secrets. Default: true. */
  readonly isRedacted?: boolean;
};

/** Everything that was recorded of a session, without secrets unless they are wanted. */
export function exportTrace(
  record: JournalRecord,
  { name, exportedAt = Date.now(), isRedacted = true }: TraceOptions,
): TraceExport {
  const { missed, dropped, pages } = record;
  const journals = journalsOf(pages);
  const document: TraceDocument = {
    format: traceFormat,
    version: traceVersion,
    exportedAt,
    name,
    isRedacted,
    journals,
    notRecorded: { missed, dropped },
  };
  const redactions: Redaction[] = [];
  if (!isRedacted) return { document, redactions };
  const note = (found: Redaction): void => void redactions.push(found);
  const safe = journals.map((journal, index) =>
    redactJournal(journal, ({ path, by }) => note({ path: ['journals', String(index), ...path], by })),
  );
  return { document: { ...document, name: redactText(name, 'name'), journals: safe }, redactions };
}

function journalsOf(pages: readonly RecordedPage[]): JournalDocument[] {
  const groups: RecordedPage[][] = [];
  for (const page of pages) {
    const last = groups.at(-1);
    if (last?.[0]?.journalId === page.journalId) last.push(page);
    else groups.push([page]);
  }
  return groups.flatMap((group) => {
    const [first] = group;
    const events = group.flatMap(({ events: own }) => own.map(({ event }) => event));
    return first === undefined ? [] : [journalDocument(first.journalId, first.base, events)];
  });
}

/** A trace that was read: its record can be looked at like one of this page. */
export type ImportedTrace = Pick<TraceDocument, 'name' | 'exportedAt' | 'isRedacted'> & {
  readonly record: JournalRecord;
};

/**
 * Reads a trace file. Nothing of it is believed: its states and events are checked, and it is refused as a whole.
 * @throws AgentError `trace-invalid` for anything that is no such file (too large, no JSON, keys like `__proto__`, states
 * or events that do not fit together), or that a newer version wrote.
 */
export function importTrace(text: string): ImportedTrace {
  const { name, exportedAt, isRedacted, journals, notRecorded } = parsed(text);
  const [first, ...others] = journals.map((journal, index) => checked(journal, `journals.${index}`));
  if (first === undefined) throw refused('It holds no journal.');
  const log = createJournalLog(first.id, first.base, {
    maxSteps: Infinity,
    maxBytes: Infinity,
    maxEvents: Infinity,
  });
  for (const journal of [first, ...others]) {
    if (journal !== first) log.goOn(journal.id, journal.base);
    let state = journal.base;
    for (const [index, event] of journal.events.entries()) {
      try {
        state = apply(state, event);
        log.add(event, state);
      } catch {
        throw refused(`Event ${index} of journal ${journal.id} cannot be applied.`);
      }
    }
  }
  return { name, exportedAt, isRedacted, record: { ...log.read(), ...notRecorded } };
}

function checked(
  journal: JournalDocument,
  path: string,
): ReturnType<typeof readJournal> & { readonly id: string } {
  if (typeof journal !== 'object' || journal === null || typeof journal.id !== 'string')
    throw refused(`There is no journal at ${path}.`);
  try {
    return { id: journal.id, ...readJournal(journal) };
  } catch (thrown) {
    throw refused(`${path}: ${thrown instanceof Error ? thrown.message : 'it cannot be read.'}`);
  }
}

function parsed(text: string): TraceDocument {
  if (text.length > longestTrace)
    throw refused(`It has ${text.length} characters; at most ${longestTrace} are read.`);
  let value: unknown;
  try {
    value = JSON.parse(text, (key, child: unknown) => {
      if (key === '__proto__') throw refused('It holds a key "__proto__", which no trace has.');
      return child;
    });
  } catch (thrown) {
    throw thrown instanceof AgentError ? thrown : refused('It is no JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused('It is no object.');
  const trace = value as Partial<TraceDocument>;
  if (trace.format !== traceFormat) throw refused(`Its format is not "${traceFormat}".`);
  if (typeof trace.version !== 'number' || trace.version < 1) throw refused('It has no version.');
  if (trace.version > traceVersion)
    throw refused(`It is of version ${trace.version}; version ${traceVersion} is read. Update the library.`);
  if (!Array.isArray(trace.journals)) throw refused('It has no list of journals.');
  if (depthOf(value) > deepest) throw refused(`It is nested deeper than ${deepest}.`);
  const { missed, dropped } = trace.notRecorded ?? {};
  return {
    format: traceFormat,
    version: trace.version,
    exportedAt: count(trace.exportedAt),
    name: typeof trace.name === 'string' ? trace.name : '',
    isRedacted: trace.isRedacted !== false,
    journals: trace.journals,
    notRecorded: {
      missed: count(missed),
      dropped: { events: count(dropped?.events), steps: count(dropped?.steps), bytes: count(dropped?.bytes) },
    },
  };
}

function depthOf(value: unknown): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0 && depth <= deepest; depth++)
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  return depth;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

function refused(why: string): AgentError {
  return new AgentError('trace-invalid', `The trace cannot be opened. ${why}`);
}
