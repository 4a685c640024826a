import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { apply } from '@vitrine/core/internal/run/apply';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import type { SourceKnowledge } from '@vitrine/core/internal/session/hub';
import { facts, type JournalRecord, type RecordedEvent, type RecordedPage } from '../journal-record.ts';
import { type JournalDocument, readJournal } from '../replay/journal-document.ts';
import type { Detector } from './detector.ts';
import { createDiagnosis, type Diagnosis } from './diagnosis.ts';
import { markExpected } from './expected-findings.ts';
import type { Finding } from './finding.ts';
import { answerDetectors } from './answers.ts';
import { callDetectors } from './calls.ts';
import { choiceDetectors } from './choices.ts';
import { detectorsForPeople } from './detectors-for-people.ts';
import { messageDetectors } from './messages.ts';
import { modelDetectors } from './models.ts';
import { requestDetectors } from './requests.ts';
import { resultDetectors } from './results.ts';
import { runDetectors } from './runs.ts';
import { stateDetectors } from './state.ts';

/** A journal to diagnose: a record, a document, or a first state with the events that followed. */
export type DiagnosedJournal =
  JournalRecord | JournalDocument | { readonly base: AgentState; readonly events: readonly AgentEvent[] };

/** Options of `diagnose`. */
export type DiagnoseOptions = {
  /** Detectors of the application, beside those of the library; one of the same code replaces it. */
  readonly detectors?: readonly Detector[];
  /** The agent of the runs: hints that its `expects`, and those of its hooks, tools and subagents name, are marked. */
  readonly agent?: AgentDefinition;
};

/**
 * Says what went wrong inside the runs of a journal, or is remarkable there; oldest first. A record that continues one
 * of the last calls costs only its new events. A finding states only what the journal holds: signals (retries, missing
 * files) are in records, and not in documents.
 * @throws AgentError `state-invalid` for a document that cannot be read
 * @example
 * const faults = diagnose(record).filter(({ severity }) => severity === 'fault');
 */
export function diagnose(
  journal: DiagnosedJournal,
  { detectors, agent }: DiagnoseOptions = {},
): readonly Finding[] {
  const chosen = withDetectors(detectors);
  const found = findingsOf(journal, chosen);
  return agent === undefined ? found : markExpected(found, agent, chosen);
}

function findingsOf(journal: DiagnosedJournal, chosen: readonly Detector[]): readonly Finding[] {
  if ('pages' in journal) return ofRecord(journal, within(chosen, journal.knows));
  const { base, events } = 'format' in journal ? readJournal(journal) : journal;
  const diagnosis = createDiagnosis(base, chosen);
  let state = base;
  for (const event of events) diagnosis.add(event, (state = apply(state, event)));
  return diagnosis.findings();
}

/** The detectors of the library and of an application. @returns the same list for the same detectors */
export function withDetectors(added: readonly Detector[] = detectors): readonly Detector[] {
  return added === detectors ? detectors : joinDetectors(added);
}

const joinDetectors = memoize((added: readonly Detector[]): readonly Detector[] => {
  const codes = new Set(added.map(({ code }) => code));
  return [...detectors.filter(({ code }) => !codes.has(code)), ...added];
});

const chosenFor = memoize((_all: readonly Detector[]) => new Map<string, readonly Detector[]>());

/** The detectors that need only what the source can tell. @returns the same list for the same facts */
function within(all: readonly Detector[], knows: SourceKnowledge | undefined): readonly Detector[] {
  if (knows === undefined) return all;
  const lists = chosenFor(all);
  const key = facts.filter((fact) => knows[fact]).join();
  const list = lists.get(key) ?? all.filter(({ needs = [] }) => needs.every((fact) => knows[fact]));
  lists.set(key, list);
  return list;
}

type Reading = {
  readonly diagnosis: Diagnosis;
  readonly detectors: readonly Detector[];
  state: AgentState;
  journalId: string;
  last: RecordedEvent | null;
};

/** The latest readings, the newest last: a panel shows a few sessions, each of which grows. */
let readings: readonly Reading[] = [];
const mostReadings = 8;

const sliceMs = 25;

/**
 * Diagnoses a record in slices, between which a page can answer. An aborted reading goes on with the next one. @throws
 * the reason of the signal
 */
export async function diagnoseInSlices(
  record: JournalRecord,
  { detectors, agent }: DiagnoseOptions,
  { signal, now, pause }: Slices,
): Promise<readonly Finding[]> {
  const chosen = withDetectors(detectors);
  const reading = readingOf(record, within(chosen, record.knows));
  let since = now();
  for (const _event of readAll(reading, record)) {
    if (now() - since < sliceMs) continue;
    await pause();
    signal.throwIfAborted();
    since = now();
  }
  const found = reading.diagnosis.findings();
  return agent === undefined ? found : markExpected(found, agent, chosen);
}

/** The clock of a diagnosis in slices, and what it waits for between two. */
export type Slices = {
  readonly signal: AbortSignal;
  /** Milliseconds by any clock. */
  readonly now: () => number;
  readonly pause: () => Promise<unknown>;
};

function ofRecord(record: JournalRecord, detectors: readonly Detector[]): readonly Finding[] {
  const reading = readingOf(record, detectors);
  for (const _event of readAll(reading, record));
  return reading.diagnosis.findings();
}

function readingOf(record: JournalRecord, detectors: readonly Detector[]): Reading {
  const known = readings.find((reading) => reading.detectors === detectors && isContinued(reading, record));
  const reading = known ?? newReading(record, detectors);
  readings = [...readings.filter((other) => other !== reading), reading].slice(-mostReadings);
  return reading;
}

function newReading({ pages }: JournalRecord, detectors: readonly Detector[]): Reading {
  const [first] = pages as readonly [RecordedPage, ...RecordedPage[]];
  const { base: state, journalId } = first;
  return { diagnosis: createDiagnosis(state, detectors), detectors, state, journalId, last: null };
}

/** True when the record still holds the event that was read last, and so continues what was read. */
function isContinued({ last }: Reading, { pages }: JournalRecord): boolean {
  if (last === null) return false;
  for (const { events } of [...pages].reverse()) {
    const first = events[0];
    if (first === undefined || first.number > last.number) continue;
    return events[last.number - first.number]?.event === last.event;
  }
  return false;
}

/** Reads what is new in a record, and yields after each event. Two readers of one reading each take the next event. */
function* readAll(reading: Reading, record: JournalRecord): Generator<void> {
  for (const page of record.pages) yield* readPage(reading, page, record);
}

function* readPage(
  reading: Reading,
  { journalId, base, events }: RecordedPage,
  { pages }: JournalRecord,
): Generator<void> {
  const next = (): number => (reading.last?.number ?? 0) + 1;
  const [first] = events;
  if (first === undefined || (events.at(-1)?.number ?? 0) < next()) return;
  if (journalId !== reading.journalId || first.number > next()) {
    reading.diagnosis.goOn(base);
    Object.assign(reading, { journalId, state: base });
  }
  // The last entry of a record still grows when it is a delta. No detector reads deltas.
  const isOpen = pages.at(-1)?.events === events && 'delta' in (events.at(-1)?.event ?? {});
  const end = isOpen ? events.length - 1 : events.length;
  for (let at = Math.max(0, next() - first.number); at < end; at = next() - first.number) {
    const entry = events[at] as RecordedEvent;
    reading.state = apply(reading.state, entry.event);
    reading.diagnosis.add(entry.event, reading.state);
    reading.last = entry;
    yield;
  }
}

/** The detectors of the library: those that a chat shows first, the others by what they look at. */
export const detectors: readonly Detector[] = [
  ...detectorsForPeople,
  ...answerDetectors,
  ...modelDetectors,
  ...callDetectors,
  ...resultDetectors,
  ...choiceDetectors,
  ...messageDetectors,
  ...requestDetectors,
  ...stateDetectors,
  ...runDetectors,
];
