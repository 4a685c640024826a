import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentDefinition } from '@vitrine/core';
import type * as Inspect from '@vitrine/inspect';
import { journalOfRun, type RecordedRun, runsOf } from '@vitrine/inspect';
import { type Expectation, readExpectation } from '@vitrine/inspect/internal/experiments/expectation';
import { meets } from '@vitrine/inspect/internal/experiments/meets';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import { type ReadTrace, readTrace } from './read-trace.ts';
import { exitCodes, UsageError } from './usage-error.ts';

/**
 * Runs today's agent again on each recorded run of a trace, or tells whether the recorded runs meet an expectation, or
 * both. No model is called and no tool runs. Prints a line for each check of a run, and returns the exit code: that of the
 * first difference, if there is one.
 * @throws UsageError for a trace, an agent or an expectation that cannot be read.
 */
export async function check(
  file: string,
  { agent, expect }: { readonly agent?: string; readonly expect?: string },
  print: (line: string) => void,
): Promise<number> {
  const trace = await readTrace(file);
  const codes = [
    ...(expect === undefined ? [] : [await checkExpectation(trace, await expectationOf(expect), print)]),
    ...(agent === undefined ? [] : [await checkAgent(file, trace, agent, print)]),
  ];
  return Math.max(...codes) === exitCodes.untestable && codes.includes(exitCodes.different)
    ? exitCodes.different
    : Math.max(...codes);
}

/** Tells which recorded runs meet an expectation, from their states alone. */
async function checkExpectation(
  { record }: ReadTrace,
  expectation: Expectation,
  print: (line: string) => void,
): Promise<number> {
  const found = await Promise.all(
    runsOf(record).map(async (run) => {
      const { met, why } = await meets(recordOfRun(record, run).state, expectation);
      print(
        `${nameOf(run)}: ${met === true ? 'as expected.' : `${met === null ? 'not decided' : 'not as expected'}. ${why.join(' ')}`}`,
      );
      return met;
    }),
  );
  if (found.includes(false)) return exitCodes.different;
  return found.includes(true) ? exitCodes.fine : exitCodes.untestable;
}

/** The expectation of an option: JSON, or a file of it. @throws UsageError for one that cannot be used */
export async function expectationOf(text: string): Promise<Expectation> {
  try {
    const json = text.trimStart().startsWith('{') ? text : await readFile(text, 'utf8');
    return readExpectation(JSON.parse(json) as unknown);
  } catch (error) {
    throw new UsageError(`--expect: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function nameOf({ number, request }: RecordedRun): string {
  return `run ${number} (${JSON.stringify(request.slice(0, 60))})`;
}

async function checkAgent(
  file: string,
  trace: ReadTrace,
  agentAt: string,
  print: (line: string) => void,
): Promise<number> {
  const { agent, inspect } = await loadAgent(agentAt);
  let [checked, different] = [0, 0];
  for (const run of runsOf(trace.record)) {
    const journal = journalOfRun(trace.record, run);
    const name = nameOf(run);
    if (journal === null) {
      print(`${name}: not checked. The trace does not hold all of its events.`);
      continue;
    }
    checked++;
    try {
      const { modelCalls, toolCalls } = await inspect.replay(journal, agent, { isMasked: trace.isRedacted });
      print(`${name}: equal. ${modelCalls} model calls and ${toolCalls} tool calls came from the recording.`);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'replay-diverged')) throw error;
      different++;
      print(`${name}: different. ${error.message}`);
    }
  }
  if (checked === 0) {
    print(`No run of ${file} could be checked. Export a trace while the agent runs, or right after.`);
    return exitCodes.untestable;
  }
  return different > 0 ? exitCodes.different : exitCodes.fine;
}

type LoadedAgent = { readonly agent: AgentDefinition; readonly inspect: typeof Inspect };

/** Imports an agent of `file#export`, and the functions of the library that it uses itself. */
export async function loadAgent(agentAt: string): Promise<LoadedAgent> {
  const hash = agentAt.lastIndexOf('#');
  const [file, name] = hash < 0 ? [agentAt, 'agent'] : [agentAt.slice(0, hash), agentAt.slice(hash + 1)];
  const path = resolve(file);
  const loaded = await importModule(path, file);
  const agent = loaded[name] ?? (hash < 0 ? loaded['default'] : undefined);
  if (agent === undefined) {
    const names = Object.keys(loaded).join(', ');
    throw new UsageError(
      `${file} exports no "${name}"${names === '' ? '' : `; it exports ${names}`}. Name the agent as file#export.`,
      exitCodes.untestable,
    );
  }
  if (!isAgent(agent))
    throw new UsageError(
      `The export "${name}" of ${file} is no agent; give the result of defineAgent.`,
      exitCodes.untestable,
    );
  return { agent, inspect: await inspectBeside(path) };
}

async function importModule(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isUnread = error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION';
    const advice = isUnread
      ? ' Node reads TypeScript from version 22.18 on; or set NODE_OPTIONS="--import tsx".'
      : '';
    throw new UsageError(`${file} cannot be imported: ${message}${advice}`, exitCodes.untestable);
  }
}

function isAgent(value: unknown): value is AgentDefinition {
  return (
    typeof value === 'object' && value !== null && 'tools' in value && 'hooks' in value && 'name' in value
  );
}

/** The version that the agent was defined with; ours where there is none beside the agent. */
async function inspectBeside(path: string): Promise<typeof Inspect> {
  let own;
  try {
    own = createRequire(pathToFileURL(path)).resolve('@vitrine/inspect');
  } catch {
    own = null;
  }
  return own === null
    ? import('@vitrine/inspect')
    : ((await import(pathToFileURL(own).href)) as typeof Inspect);
}
