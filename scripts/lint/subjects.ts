import { spawnSync } from 'node:child_process';

/** The longest subject that fits a list of commits. */
const longest = 72;

/**
 * Commit subjects over 72 characters, as `hash subject`, between the base commit and the head of a repository. Where
 * a shallow clone lacks the base, the check takes the commits that the remote's default branch lacks, or none.
 */
export function longSubjects(directory: string, base: string): string[] {
  const git = (...args: readonly string[]): { readonly ok: boolean; readonly lines: string[] } => {
    const { status, stdout } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
    return { ok: status === 0, lines: status === 0 ? stdout.split('\n').filter((line) => line !== '') : [] };
  };
  const start = [base, 'origin/HEAD'].find((name) => git('cat-file', '-e', `${name}^{commit}`).ok);
  if (start === undefined) return [];
  const commits = git('log', '--no-merges', '--format=%h %s', `${start}..HEAD`).lines;
  return commits.filter((line) => line.slice(line.indexOf(' ') + 1).length > longest);
}
