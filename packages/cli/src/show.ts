import { AgentState } from '@vitrine/core';
import { questionsAbout, runsOf } from '@vitrine/inspect';
import { callsOfRun, inputFigures, knownPrices } from '@vitrine/inspect/internal/input-figures';
import { redactText } from '@vitrine/inspect/internal/redact';
import { outline } from './outline.ts';
import { endOfRun, readSessions, type ReadTrace, readTrace } from './read-trace.ts';

/**
 * Prints the runs of a trace, why the last or a chosen one stopped, what was found in it, and what it did. Of a recording
 * with several sessions it prints a list.
 */
export async function show(
  file: string,
  run: number | undefined,
  print: (line: string) => void,
): Promise<void> {
  const all = await readSessions(file);
  const [trace] = all.length > 1 ? [] : [await readTrace(file)];
  if (trace === undefined) return list(file, all, print);
  const sessions = [{ id: 'trace', name: trace.name, record: trace.record }];
  const questions = new Map(questionsAbout(() => sessions).map(({ name, ask }) => [name, ask]));
  const { number, request, state } = endOfRun(trace, file, run);
  print(`${trace.name}, ${trace.about}`);
  for (const name of ['runs', 'whyStopped', 'findings'] as const) {
    const items = allOf(questions.get(name), name === 'runs' ? {} : { run: number });
    if (items.length === 0) continue;
    print(`\n${titles[name]}`);
    for (const item of items) print(`  ${lineOf(item)}`);
  }
  const { usage, cached, paid } = inputFigures(callsOfRun(state), knownPrices(state));
  if (cached !== null && usage.cacheReadTokens + usage.cacheWriteTokens > 0) {
    const share = paid === null ? '' : `, input paid as ${Math.round(paid * 100)} %`;
    print(`\nInput: ${usage.inputTokens} tokens, cached ${Math.round(cached * 100)} %${share}`);
  }
  print(`\nWhat run ${number} (${JSON.stringify(request.slice(0, 60))}) did`);
  for (const line of outline(state)) print(`  ${line}`);
}

/** Prints a line for each session of a recording. */
function list(file: string, all: readonly ReadTrace[], print: (line: string) => void): void {
  print(`${file}, ${all[0]?.about}`);
  for (const [index, { name, record }] of all.entries()) {
    const runs = runsOf(record);
    const title = redactText(runs[0]?.request.slice(0, 60) ?? '', 'text');
    print(
      `  #${index + 1} ${name}: ${JSON.stringify(title)}, runs: ${runs.length}, ${AgentState.status(record.state)}`,
    );
  }
  print(`One of them: vitrine show ${file}#1`);
}

const titles = { runs: 'Runs', whyStopped: 'Why it stopped', findings: 'What was found' };

/** All parts of an answer. */
function allOf(
  ask: ReturnType<typeof questionsAbout>[number]['ask'] | undefined,
  input: object,
): readonly unknown[] {
  const items: unknown[] = [];
  for (let after: string | null | undefined; after !== null && ask !== undefined;) {
    const answer = ask(after === undefined ? input : { ...input, after });
    items.push(...answer.items);
    after = answer.more;
  }
  return items;
}

/** An item as names and values; empty ones are left out. */
function lineOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item);
  return Object.entries(item)
    .filter(([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0))
    .map(
      ([name, value]: [string, unknown]) =>
        `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join('; ');
}
