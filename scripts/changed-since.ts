import { spawnSync } from 'node:child_process';
import { root } from './root.ts';

/**
 * The commit from which changes count: where this branch left `main`, also when the checkout knows only the main branch
 * of its remote. On `main` itself, and without either, it is `HEAD`, so that the changes of the working tree count.
 */
export function changedSince(folder: string = root): string {
  for (const trunk of ['main', 'origin/main']) {
    const { status, stdout } = spawnSync('git', ['merge-base', 'HEAD', trunk], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status === 0) return stdout.trim();
  }
  return 'HEAD';
}

/** The paths of the files that this branch has changed, added or not yet committed. */
export function changedFiles(folder: string = root): readonly string[] {
  const git = (...args: readonly string[]): string[] =>
    spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  return [
    ...git('diff', '--name-only', changedSince(folder)),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}
