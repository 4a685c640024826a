import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type LaunchOptions } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * A Chromium of this machine: CHROMIUM_PATH, one on the PATH, or one that Playwright has installed; null without one.
 */
export function findChromium(): string | null {
  const wanted = process.env['CHROMIUM_PATH'];
  if (wanted) return isExecutable(wanted) ? wanted : null;
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  const found = names
    .flatMap((name) => directories.map((directory) => join(directory, name)))
    .find(isExecutable);
  if (found) return found;
  const managed = chromium.executablePath();
  return managed && existsSync(managed) ? managed : null;
}

/** The options that start the browser for journeys, benches and screenshots. @throws Error when there is none. */
export function launchOptions(): LaunchOptions {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium. Run: node scripts/ensure-chromium.ts');
  const isRoot = process.getuid?.() === 0;
  return {
    executablePath,
    headless: true,
    args: [
      // Chromium refuses its sandbox to root, as in containers.
      ...(isRoot ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install(): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    spawnSync('apt-get', ['install', '-y', '-qq', 'chromium'], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  if (findChromium() === null)
    spawnSync('npx', ['playwright-core', 'install', 'chromium'], { stdio: 'inherit' });
}

if (process.argv[1] === import.meta.filename) {
  if (findChromium() === null) install();
  const found = findChromium();
  if (found === null) {
    process.stderr.write(
      'The journeys need Chromium, and it could not be installed here. Install it with your system (for Debian: apt-get install chromium), or set CHROMIUM_PATH.\n',
    );
    process.exit(1);
  }
  process.stdout.write(`Chromium: ${found}\n`);
}
