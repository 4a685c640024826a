import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../root.ts';

const leftOut: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', '.git']);

/** Creates a copy of the repository in a temporary folder, so that no fault ever reaches the working tree. */
export function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'vitrine-mutate-'));
  cpSync(root, copy, { recursive: true, filter: (path) => !leftOut.has(basename(path)) });
  mkdirSync(join(copy, 'node_modules', '@vitrine'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    // Caches stay with their owner.
    if (name === '@vitrine' || name.startsWith('.vite') || name === '.cache') continue;
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
  // The workspace's own packages are those of the copy, because the links to them are relative.
  for (const name of readdirSync(join(root, 'node_modules', '@vitrine'))) {
    const target = readlinkSync(join(root, 'node_modules', '@vitrine', name));
    symlinkSync(target, join(copy, 'node_modules', '@vitrine', name));
  }
  return copy;
}
