import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { launchOptions } from '../../scripts/ensure-chromium.ts';

/** A browser with a profile of its own, which dies as a whole. */
export type KillableChromium = {
  readonly open: (url: string) => Promise<Page>;
  /** SIGKILL for every process of the browser at once; resolves when it is gone. */
  readonly kill: () => Promise<void>;
};

/** The longest wait until Chromium listens, in milliseconds. */
const startMs = 60_000;

/**
 * Starts Chromium on a profile directory, in a process group of its own: Playwright's `launchPersistentContext` does not
 * give its processes away.
 * @throws Error when it does not start.
 */
export async function killableChromium(profile: string): Promise<KillableChromium> {
  const { executablePath = '', args = [] } = launchOptions();
  const flags = [
    '--headless',
    '--remote-debugging-port=0',
    '--no-default-browser-check',
    `--user-data-dir=${profile}`,
  ];
  const child = spawn(executablePath, [...args, ...flags, 'about:blank'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'exit');
  const browser: Browser = await chromium.connectOverCDP(await addressOf(child.stderr));
  return {
    async open(url) {
      const page = await browser.contexts()[0]!.newPage();
      await page.goto(url);
      await page.locator('html[data-ready]').waitFor({ state: 'attached' });
      return page;
    },
    async kill() {
      if (child.pid === undefined) return;
      process.kill(-child.pid, 'SIGKILL');
      await gone;
      await groupGone(child.pid);
    },
  };
}

/** Waits for the last process of a group: on a busy machine one may still hold the profile's databases for a while. */
async function groupGone(group: number): Promise<void> {
  const latest = performance.now() + startMs;
  while (isAlive(group)) {
    if (performance.now() > latest) throw new Error(`Processes of Chromium's group ${group} do not die.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(group: number): boolean {
  if (!existsSync('/proc/self/stat')) return canBeSignalled(group);
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      // After the name, which may hold anything: the state, the parent, the group.
      const [state, , processGroup] =
        readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return Number(processGroup) === group && state !== 'Z' && state !== 'X';
    } catch {
      // It went while it was looked at.
      return false;
    }
  });
}

function canBeSignalled(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** Later output is read as well, because a full pipe would block Chromium. */
function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(
      () => reject(new Error(`Chromium does not say where it listens:\n${said}`)),
      startMs,
    );
    stderr.on('data', (data: Buffer) => {
      // Enough to find it in; the rest is only taken.
      if (said.length < 65_536) said += data.toString();
      const found = /DevTools listening on (\S+)\s/.exec(said);
      if (found?.[1] === undefined) return;
      clearTimeout(late);
      resolve(found[1]);
    });
  });
}
