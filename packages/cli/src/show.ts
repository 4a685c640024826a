import { questionsAbout } from '@vitrine/inspect';
import { callsOfRun, inputFigures, knownPrices } from '@vitrine/inspect/internal/input-figures';
import { outline } from './outline.ts';
import { endOfRun, readTrace } from './read-trace.ts';

/** Prints the runs of a trace, why the last or a chosen one stopped, what was found in it, and what it did. */
export async function show(
  file: string,
  run: number | undefined,
  print: (line: string) => void,
): Promise<void> {
  const trace = await readTrace(file);
  const sessions = [{ id: 'trace', name: trace.name, record: trace.record }];
  const questions = new Map(questionsAbout(() => sessions).map(({ name, ask }) => [name, ask]));
  const { number, request, state } = endOfRun(trace, file, run);
  print(`${trace.name}, exported ${new Date(trace.exportedAt).toISOString()}`);
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
