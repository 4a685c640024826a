import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

// Installs the packages of tests/peers, which few tests and benches need, when they are not those of its lock file.

const folder = join(root, 'tests/peers');
const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
// `npm ci` empties the folder first, so the copy is there only after a whole installation.
const installed = join(folder, 'node_modules/.installed-lock.json');
if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  writeFileSync(installed, lock);
}
