import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { root } from '../../scripts/root.ts';

/** A part of a proof that was done, with its seed and what it counted, or the reason of its failure. */
export type DonePart = {
  readonly name: string;
  readonly host: string;
  readonly part: string;
  readonly seed: number;
  readonly counted: Readonly<Record<string, number>>;
  readonly failure?: string;
};

/** The parts of a proof that were done for the sources, one line each in a file, so that a stopped proof goes on. */
export type Progress = {
  /** The last outcome of each part of a case, by the name of the part. */
  readonly of: (name: string, host: string) => ReadonlyMap<string, DonePart>;
  readonly add: (part: DonePart) => void;
};

/** The folders with the code of the servers and of their devices. */
const proved = [
  'bridges/ag-ui/src',
  'bridges/ai-sdk/src',
  'packages/core/src',
  'packages/persist/src',
  'packages/proxy/src',
  'packages/react/src/server',
  'packages/server/src',
];

/** A hash of the committed sources that the proof is about. */
function sourcesHash(): string {
  const args = ['ls-tree', '-r', 'HEAD', 'package-lock.json', 'tests/hosts', ...proved];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  const sources = files.filter((line) => !/\.(test|test-d|fixture)\.tsx?$/.test(line));
  return createHash('sha256').update(sources.join('\n')).digest('hex').slice(0, 12);
}

/** Reads the progress in a file. Lines of other sources do not count. */
export function openProgress(path: string): Progress {
  const sources = sourcesHash();
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const done = text.split('\n').flatMap((line) => readPart(line, sources));
  return {
    of: (name, host) =>
      new Map(
        done.filter((part) => part.name === name && part.host === host).map((part) => [part.part, part]),
      ),
    add(part) {
      done.push(part);
      appendFileSync(path, `${JSON.stringify({ sources, ...part })}\n`);
    },
  };
}

/** The part in a line; none for a line that a killed proof has cut. */
function readPart(line: string, sources: string): readonly DonePart[] {
  try {
    const part = JSON.parse(line) as DonePart & { readonly sources: string };
    return part.sources === sources ? [part] : [];
  } catch {
    return [];
  }
}
