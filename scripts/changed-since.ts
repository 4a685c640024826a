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
