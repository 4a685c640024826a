import { readFile } from 'node:fs/promises';
import { importTrace, type ImportedTrace, runsOf } from '@vitrine/inspect';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import type { AgentState } from '@vitrine/core';
import { UsageError } from './usage-error.ts';

/** A trace with its text. */
export type ReadTrace = ImportedTrace & { readonly text: string };

/**
 * Reads a trace file.
 * @throws UsageError when there is no such file, or it is no trace.
 */
export async function readTrace(file: string): Promise<ReadTrace> {
  let text;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return { ...importTrace(text), text };
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
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
