import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { exportTrace, importTrace, type ImportedTrace, runsOf } from '@vitrine/inspect';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import type { AgentState } from '@vitrine/core';
import { recordTexts } from './record/record-texts.ts';
import { sessionsOfTape } from './record/tape-sessions.ts';
import { isTape, readTape } from './record/tape.ts';
import { UsageError } from './usage-error.ts';

/** A trace, or a session of a recording. */
export type ReadTrace = ImportedTrace & {
  /** Says when it was exported or recorded, and what is missing. */
  readonly about: string;
  readonly text: () => string;
};

/**
 * Reads the sessions of a file: one of a trace, all of a recording of `vitrine record`, or the one that is named behind
 * it (`run.tape#2`).
 * @throws UsageError when there is no such file or session, or it is neither a trace nor a recording.
 */
export async function readSessions(file: string): Promise<readonly ReadTrace[]> {
  const named = existsSync(file) ? null : /^(.+)#(\d+)$/.exec(file);
  const path = named?.[1] ?? file;
  let text;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const sessions = isTape(text) ? tapeTraces(path) : [traceIn(text, path)];
  if (named === null) return sessions;
  const session = sessions[Number(named[2]) - 1];
  if (session !== undefined) return [session];
  throw new UsageError(`${path} has no session ${named[2]}; it has ${sessions.length}.`);
}

function traceIn(text: string, file: string): ReadTrace {
  try {
    const trace = importTrace(text);
    const about = `exported ${new Date(trace.exportedAt).toISOString()}`;
    return { ...trace, about, text: () => text };
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function tapeTraces(file: string): readonly ReadTrace[] {
  const tape = readTape(file);
  const { origin: exportedAt, isCut } = tape;
  const about = `recorded ${new Date(exportedAt).toISOString()}${isCut ? `. ${recordTexts.cutTape}` : ''}`;
  return sessionsOfTape(tape).map(({ name, record }) => ({
    name,
    record,
    exportedAt,
    isRedacted: true,
    about,
    text: () => JSON.stringify(exportTrace(record, { name, exportedAt }).document),
  }));
}

/**
 * Reads a trace, or the only or named session of a recording.
 * @throws UsageError as `readSessions`, and for a recording with several sessions or none.
 */
export async function readTrace(file: string): Promise<ReadTrace> {
  const [first, ...others] = await readSessions(file);
  if (first === undefined) throw new UsageError(`${file} holds no conversation with a model.`);
  if (others.length === 0) return first;
  throw new UsageError(
    `${file} holds ${others.length + 1} sessions. Name one: ${file}#1. vitrine show ${file} lists them.`,
  );
}

/**
 * The state of the main agent at the end of a run; of the last run by default.
 * @throws UsageError when there is no such run.
 */
export function endOfRun(
  { record }: ImportedTrace,
  file: string,
  number?: number,
): { readonly number: number; readonly request: string; readonly state: AgentState } {
  const runs = runsOf(record);
  const run = number === undefined ? runs.at(-1) : runs.find((one) => one.number === number);
  if (run === undefined)
    throw new UsageError(
      runs.length === 0
        ? `${file} holds no run.`
        : `${file} has no run ${number}; its runs are ${runs.map((one) => one.number).join(', ')}.`,
    );
  return { number: run.number, request: run.request, state: recordOfRun(record, run).state };
}
