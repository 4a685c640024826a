import { execFileSync } from 'node:child_process';
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

/** The parts of a proof that were done for a commit, one line each in a file, so that a stopped proof goes on. */
export type Progress = {
  /** The last outcome of each part of a case, by the name of the part. */
  readonly of: (name: string, host: string) => ReadonlyMap<string, DonePart>;
  readonly add: (part: DonePart) => void;
};

/** Reads the progress in a file. Lines of other commits do not count. */
export function openProgress(path: string): Progress {
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root }).toString().trim();
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const done = text.split('\n').flatMap((line) => readPart(line, commit));
  return {
    of: (name, host) =>
      new Map(
        done.filter((part) => part.name === name && part.host === host).map((part) => [part.part, part]),
      ),
    add(part) {
      done.push(part);
      appendFileSync(path, `${JSON.stringify({ commit, ...part })}\n`);
    },
  };
}

/** The part in a line; none for a line that a killed proof has cut. */
function readPart(line: string, commit: string): readonly DonePart[] {
  try {
    const part = JSON.parse(line) as DonePart & { readonly commit: string };
    return part.commit === commit ? [part] : [];
  } catch {
    return [];
  }
}
