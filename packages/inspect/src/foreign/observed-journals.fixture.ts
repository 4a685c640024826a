import { AgentState } from '@vitrine/core';
import {
  createRecorder,
  eventsOf,
  exportTrace,
  importTrace,
  type JournalRecord,
  type Recorder,
  sessionHub,
  stateAt,
} from '@vitrine/inspect';
import { recordAt } from '../journal-record.ts';
import { afterEach, beforeEach, expect } from 'vitest';

import { forgetObservations } from './observations.ts';

let recorder: Recorder | null = null;

/** Records what the bridges announce during each test of a file. */
export function recordEachTest(): void {
  beforeEach(() => void (recorder = createRecorder()));
  afterEach(() => {
    recorder?.dispose();
    forgetObservations();
  });
}

/** The record of the watched session that was announced last. */
export function watchedRecord(): JournalRecord {
  return recorder!.read(sessionHub().sources().at(-1)!);
}

/** The journal as one line an event, without times; ids are numbered in the order in which they come. */
export function goldenOf(record: JournalRecord): readonly string[] {
  const ids = new Map<string, string>();
  const named = (text: string): string =>
    text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `#${ids.size + 1}`);
      return ids.get(id)!;
    });
  const untold = new Set([
    'at',
    'seq',
    'durationMs',
    'firstDeltaMs',
    'afterMs',
    'createdAt',
    'updatedAt',
    'child',
    'usage',
    // Deltas are joined by time.
    'n',
  ]);
  return eventsOf(record).map(({ event }) => {
    const { type, path, ...body } = event;
    const told = JSON.stringify(body, (key, value: unknown) => (untold.has(key) ? undefined : value));
    return named(`${'  '.repeat(path.length)}${type} ${told}`);
  });
}

/** Demands of every prefix of a journal that its state is sound and comes back from a document and a trace file. */
export function expectSound(record: JournalRecord): void {
  const events = eventsOf(record);
  expect(events.length).toBeGreaterThan(0);
  for (let index = -1; index < events.length; index++) {
    const document = AgentState.toJSON(stateAt(record, index));
    expect(AgentState.toJSON(AgentState.fromJSON(JSON.parse(JSON.stringify(document))))).toEqual(document);
  }
  for (const index of [0, Math.floor(events.length / 2), events.length - 1]) {
    const part = recordAt(record, index);
    const { document } = exportTrace(part, { name: 'watched', isRedacted: false });
    const read = importTrace(JSON.stringify(document)).record;
    expect(AgentState.toJSON(read.state)).toEqual(AgentState.toJSON(part.state));
    expect(read.knows).toEqual(record.knows);
  }
}
