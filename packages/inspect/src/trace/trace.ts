import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { isPlainObject, type JsonValue, readJson } from '@vitrine/core/internal/kit/json';
import { apply } from '@vitrine/core/internal/run/apply';
import type { SourceKnowledge } from '@vitrine/core/internal/session/hub';
import { createJournalLog } from '../journal-log.ts';
import type { JournalRecord, RecordedPage } from '../journal-record.ts';
import { redact, type Redaction, redactText } from '../redact.ts';
import { type JournalDocument, journalDocument, readJournal } from '../replay/journal-document.ts';
import type { AgentEvent } from '@vitrine/core/internal/run/events';

const traceFormat = 'vitrine-trace';
/** The version that this library writes, and the newest that it reads. */
const traceVersion = 1;
const bounds = { depth: 200, length: 40 * 2 ** 20 };

/** The record of a session as one file. */
export type TraceDocument = {
  readonly format: 'vitrine-trace';
  readonly version: number;
  /** Unix epoch milliseconds. */
  readonly exportedAt: number;
  /** The agent's name. */
  readonly name: string;
  /** True when secrets were removed; a replay is then compared without them. */
  readonly isRedacted: boolean;
  /** The facts that the source of the journals could tell; absent when it could tell all of them. */
  readonly knows?: SourceKnowledge;
  /** The expectation of a case about its last run; see `checkCase`. */
  readonly expects?: JsonValue;
  /** The journals, oldest first. */
  readonly journals: readonly JournalDocument[];
  /** Events that are missing from the file. */
  readonly notRecorded: Pick<JournalRecord, 'missed' | 'dropped'>;
};

/** A trace that is about to leave, and the values removed from it. */
export type TraceExport = { readonly document: TraceDocument; readonly redactions: readonly Redaction[] };

/** Options of `exportTrace`. */
export type TraceOptions = {
  /** The agent's name. */
  readonly name: string;
  /** Unix epoch milliseconds. Default: now. */
  readonly exportedAt?: number;
  /** False keeps secrets. Default: true. */
  readonly isRedacted?: boolean;
  /** An `Expectation` about the last run, which makes the trace a case. */
  readonly expects?: JsonValue;
};

/** Exports the record of a session, without secrets by default. */
export function exportTrace(
  record: JournalRecord,
  { name, exportedAt = Date.now(), isRedacted = true, expects }: TraceOptions,
): TraceExport {
  const { missed, dropped, pages, knows } = record;
  const journals = journalsOf(pages);
  const document: TraceDocument = {
    format: traceFormat,
    version: traceVersion,
    exportedAt,
    name,
    isRedacted,
    ...(knows === undefined ? {} : { knows }),
    ...(expects === undefined ? {} : { expects: isRedacted ? (redact(expects) as JsonValue) : expects }),
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

/** A trace that was read; its record can be viewed like one of this page. */
export type ImportedTrace = Pick<TraceDocument, 'name' | 'exportedAt' | 'isRedacted' | 'expects'> & {
  readonly record: JournalRecord;
};

/**
 * Reads a trace file. All its states and events are checked, and an invalid file is rejected as a whole.
 * @throws AgentError `trace-invalid` for a file that is too large, no JSON, has keys like `__proto__`, inconsistent
 * states or events, or was written by a newer version.
 */
export function importTrace(text: string): ImportedTrace {
  const { name, exportedAt, isRedacted, expects, knows, journals, notRecorded } = parseTrace(text);
  const [first, ...others] = journals.map((journal, index) => checkJournal(journal, `journals.${index}`));
  if (first === undefined) throw traceError('It holds no journal.');
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
        throw traceError(`Event ${index} of journal ${journal.id} cannot be applied.`);
      }
    }
  }
  return {
    name,
    exportedAt,
    isRedacted,
    ...(expects === undefined ? {} : { expects }),
    record: { ...log.read(), ...notRecorded, ...(knows === undefined ? {} : { knows }) },
  };
}

function checkJournal(
  journal: JournalDocument,
  path: string,
): ReturnType<typeof readJournal> & { readonly id: string } {
  if (typeof journal !== 'object' || journal === null || typeof journal.id !== 'string')
    throw traceError(`There is no journal at ${path}.`);
  try {
    return { id: journal.id, ...readJournal(journal) };
  } catch (thrown) {
    throw traceError(`${path}: ${thrown instanceof Error ? thrown.message : 'it cannot be read.'}`);
  }
}

function parseTrace(text: string): TraceDocument {
  if (text.length > bounds.length)
    throw traceError(`It has ${text.length} characters; at most ${bounds.length} are read.`);
  const json = readJson(text, bounds);
  if (!json.ok) throw traceError(`${json.what.charAt(0).toUpperCase()}${json.what.slice(1)}.`);
  const { value } = json;
  if (holdsPrototype(value)) throw traceError('It holds a key "__proto__", which no trace has.');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw traceError('It is no object.');
  const trace = value as Partial<TraceDocument>;
  if (trace.format !== traceFormat) throw traceError(`Its format is not "${traceFormat}".`);
  if (typeof trace.version !== 'number' || trace.version < 1) throw traceError('It has no version.');
  if (trace.version > traceVersion)
    throw traceError(
      `It is of version ${trace.version}; version ${traceVersion} is read. Update the library.`,
    );
  if (!Array.isArray(trace.journals)) throw traceError('It has no list of journals.');
  const { missed, dropped } = trace.notRecorded ?? {};
  return {
    format: traceFormat,
    version: trace.version,
    exportedAt: count(trace.exportedAt),
    name: typeof trace.name === 'string' ? trace.name : '',
    isRedacted: trace.isRedacted !== false,
    ...(trace.knows === undefined ? {} : { knows: knowledgeIn(trace.knows) }),
    ...(trace.expects === undefined ? {} : { expects: trace.expects }),
    journals: trace.journals,
    notRecorded: {
      missed: count(missed),
      dropped: { events: count(dropped?.events), steps: count(dropped?.steps), bytes: count(dropped?.bytes) },
    },
  };
}

/** The knowledge of a source, as told: only `true` counts, and one that is silent about results told them all. */
export function knowledgeIn(value: unknown): SourceKnowledge {
  const {
    prompt,
    usage,
    times,
    results = true,
  } = (isPlainObject(value) ? value : {}) as Partial<SourceKnowledge>;
  return { prompt: prompt === true, usage: usage === true, times: times === true, results: results === true };
}

function holdsPrototype(value: JsonValue): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) return true;
    for (const child of Object.values(next)) open.push(child);
  }
  return false;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

function traceError(why: string): AgentError {
  return new AgentError('trace-invalid', `The trace cannot be opened. ${why}`);
}

/** A journal without secrets, also where one came in pieces. */
export function redactJournal(
  journal: JournalDocument,
  onRedact?: (redaction: Redaction) => void,
): JournalDocument {
  const events = withoutPieces(journal.events);
  return redact({ ...journal, events }, { onRedact }) as JournalDocument;
}

/** Events without secrets, also where a secret came in pieces that are all among them. */
export function redactEvents(events: readonly AgentEvent[]): readonly AgentEvent[] {
  return redact(withoutPieces(events)) as readonly AgentEvent[];
}

type Delta = Extract<AgentEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>;

/** Moves the text of deltas that form a secret together into the first of them, redacted; the others become empty. */
function withoutPieces<Event extends AgentEvent>(events: readonly Event[]): readonly Event[] {
  const parts = new Map<string, number[]>();
  const calls = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const agent = event.path.join('/');
    // Part ids start anew in every answer.
    if (event.type === 'inference-start') calls.set(agent, index);
    if (!isDelta(event)) continue;
    const key = [calls.get(agent), agent, event.type, event.partId].join(' ');
    if (!parts.has(key)) parts.set(key, []);
    parts.get(key)?.push(index);
  }
  const next = [...events];
  for (const indexes of parts.values()) {
    const whole = indexes.map((index) => (events[index] as Delta).delta).join('');
    const safe = redactText(whole, 'delta');
    if (indexes.length < 2 || safe === whole) continue;
    for (const [at, index] of indexes.entries())
      next[index] = { ...(events[index] as Event), delta: at === 0 ? safe : '' };
  }
  return next;
}

function isDelta(event: AgentEvent): event is Delta {
  return event.type === 'text-delta' || event.type === 'reasoning-delta';
}
