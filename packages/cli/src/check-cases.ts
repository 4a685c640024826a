import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkCase } from '@vitrine/inspect';
import { loadAgent } from './check.ts';
import { exitCodes, UsageError } from './usage-error.ts';

/** The end of the name of a file that is a case. */
const ending = '.case.json';

/** The files of the cases at a path, by name; null for a path of something else. */
export async function casesAt(path: string): Promise<readonly string[] | null> {
  if (path.endsWith(ending)) return [path];
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return null;
  const names = (await readdir(path)).filter((name) => name.endsWith(ending)).sort();
  if (names.length > 0) return names.map((name) => join(path, name));
  throw new UsageError(
    `${path} has no case. Keep one by the Cause tab of the panel, as name${ending}.`,
    exitCodes.untestable,
  );
}

/**
 * Checks cases, each in one line, and prints a sentence about all. With an agent it runs on the recordings; a model is
 * asked at most `calls` times for each case, when its run goes another way.
 * @returns 1 when a case is not as expected, 125 when one could not be decided.
 */
export async function checkCases(
  files: readonly string[],
  { agent: agentAt, calls }: { readonly agent: string | undefined; readonly calls: number },
  print: (line: string) => void,
): Promise<number> {
  const loaded = agentAt === undefined ? null : await loadAgent(agentAt);
  const check = loaded?.inspect.checkCase ?? checkCase;
  const counts = { met: 0, broken: 0, open: 0 };
  for (const file of files) {
    const name = basename(file, ending);
    try {
      const { met, sentence } = await check(await readFile(file, 'utf8'), loaded?.agent, { calls });
      counts[met === null ? 'open' : met ? 'met' : 'broken']++;
      print(
        `${name}: ${met === null ? 'not decided' : met ? 'as expected' : 'not as expected'}. ${sentence}`,
      );
    } catch (error) {
      counts.open++;
      print(`${name}: not decided. ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const { met, broken, open } = counts;
  const others = [broken > 0 ? `${broken} not` : '', open > 0 ? `${open} not decided` : ''];
  const rest = others.filter((text) => text !== '').map((text) => `, ${text}`);
  print(`${files.length} ${files.length === 1 ? 'case' : 'cases'}: ${met} as expected${rest.join('')}.`);
  if (broken > 0) return exitCodes.different;
  return open > 0 ? exitCodes.untestable : exitCodes.fine;
}
