import { systemEnv } from '@vitrine/core';
import { createSessionHub } from '@vitrine/core/internal/session/hub';
import { createRecorder, type JournalRecord } from '@vitrine/inspect';
import { ExchangeReader } from './exchange-reader.ts';
import { recordTexts } from './record-texts.ts';
import type { Tape, TapeEntry } from './tape.ts';
import { apiOf } from './wire/apis.ts';

const unlimited = { exchanges: Infinity, bytes: Infinity };

/** The conversations of a recording, as its page showed them. */
export function sessionsOfTape({ origin, entries, exitCode }: Tape): readonly TapeSession[] {
  const hub = createSessionHub();
  const recorder = createRecorder({ hub, maxEvents: Infinity, maxSteps: Infinity, maxBytes: Infinity });
  // Everything is there at once, so nothing waits for more.
  const env = { ...systemEnv, schedule: () => () => undefined };
  const reader = new ExchangeReader(hub, env, { origin, most: unlimited });
  const moments = entries.flatMap((entry, id) => [
    { at: entry.times[0], take: () => ask(reader, id, entry) },
    { at: entry.times[2], take: () => answer(reader, id, entry) },
  ]);
  for (const { take } of moments.toSorted((a, b) => a.at - b.at)) take();
  reader.close(
    recordTexts.programEnded(exitCode === null ? 'its end is not recorded' : `exit code ${exitCode}`),
  );
  return hub.sources().map((source) => ({ name: source.name, record: recorder.read(source) }));
}

type TapeSession = { readonly name: string; readonly record: JournalRecord };

function ask(
  reader: ExchangeReader,
  id: number,
  { method, path, request, client, times: [at] }: TapeEntry,
): void {
  const api = apiOf(method, path);
  if (api !== null && 'messages' in request) reader.ask(api, request, { id, at, client, bytes: 0 });
}

function answer(reader: ExchangeReader, id: number, entry: TapeEntry): void {
  const [, firstAt, at] = entry.times;
  const bytes = Buffer.from(entry.body);
  reader.take({ ...entry, type: 'answer', id, at, firstAt, bytes, encoding: null });
}
