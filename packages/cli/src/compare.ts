import { AgentState } from '@vitrine/core';
import { diffArrays } from 'diff';
import { outline } from './outline.ts';
import { endOfRun, readTrace } from './read-trace.ts';
import { exitCodes } from './usage-error.ts';

/** Most differing lines that are looked for, since the time grows with their square. */
const mostEdits = 2_000;
/** Most lines that are printed. */
const mostShown = 200;

/**
 * Prints the differences between two recorded runs: prompts, messages, answers, calls and results, without ids and
 * times. Returns 0 for equal ones and 1 for others.
 */
export async function compare(
  files: readonly [string, string],
  run: number | undefined,
  print: (line: string) => void,
): Promise<number> {
  const [a, b] = await Promise.all(
    files.map(async (file) => endOfRun(await readTrace(file), file, run).state),
  );
  if (a === undefined || b === undefined) return exitCodes.wrongUse;
  const lines = differences(outline(a), outline(b));
  for (const line of lines.slice(0, mostShown)) print(line);
  if (lines.length > mostShown) print(`… ${lines.length - mostShown} more`);
  const spent = [a, b].map((state) => {
    const { totalTokens, cost } = AgentState.usage(state);
    return `${AgentState.stepCount(state)} steps, ${totalTokens} tokens${cost === null ? '' : `, ${cost}`}`;
  });
  if (spent[0] !== spent[1]) print(`- ${spent[0]}\n+ ${spent[1]}`);
  else if (lines.length === 0) print(`The runs are equal: ${spent[0]}.`);
  return lines.length === 0 ? exitCodes.fine : exitCodes.different;
}

/** The lines that only one of two lists has at its place, in order: `-` for the first, `+` for the second. */
function differences(a: readonly string[], b: readonly string[]): string[] {
  const parts = diffArrays([...a], [...b], { maxEditLength: mostEdits });
  // Runs that have little in common are shown one after the other.
  if (parts === undefined) return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)];
  return parts.flatMap(({ added, removed, value }) =>
    added || removed ? value.map((line) => `${added ? '+' : '-'} ${line}`) : [],
  );
}
