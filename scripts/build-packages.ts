import { rmSync } from 'node:fs';
import { packages } from './packages.ts';
import { root } from './root.ts';
import { run } from './run.ts';

// One after the other: with the source condition off, a package sees the built types of those before it.
for (const name of packages) {
  const directory = `${root}/packages/${name}`;
  rmSync(`${directory}/dist`, { recursive: true, force: true });
  const { ok, output } = await run('tsc', ['-p', 'tsconfig.build.json'], {
    cwd: directory,
    quiet: true,
    timeoutMs: 120_000,
  });
  if (!ok) {
    process.stderr.write(`${output}\nBuilding @vitrine/${name} failed.\n`);
    process.exit(1);
  }
  process.stdout.write(`built @vitrine/${name}\n`);
}
