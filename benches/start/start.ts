import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { type Browser, chromium } from 'playwright-core';
import { build } from 'vite';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { root } from '../../scripts/root.ts';
import { temporaryFolder } from '../../scripts/temporary-folder.ts';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { startBenchServer } from '../server/bench-server.ts';

const chats = ['plain', 'stored'] as const;
/** The factor by which the processor of the page is slowed down. */
const slowdown = 4;

type Start = {
  readonly typedMs: number;
  readonly deltaMs: number;
  /** All JavaScript that the page has downloaded by then, without React, after gzip. */
  readonly bytes: number;
};

/**
 * Measures the start of a page with a chat in Chromium with a slow processor: until its first message can be typed, and
 * until the answer to it begins. The network is that of the machine itself.
 */
export async function start(rounds: number): Promise<Measured> {
  const directory = temporaryFolder('bench-start');
  await buildPages(directory);
  const server = await startBenchServer(directory, 1);
  const browser = await chromium.launch(launchOptions());
  const url = server.origins[0] ?? '';
  const results = await interleave(chats, rounds, (chat) => open(browser, url, directory, chat));
  await browser.close();
  server.close();
  const rows = [...results].map(([chat, starts]) => {
    const of = (field: keyof Start): number => median(starts.map((each) => each[field]));
    return [
      chat,
      of('typedMs').toFixed(0),
      of('deltaMs').toFixed(0),
      (of('deltaMs') - of('typedMs')).toFixed(0),
      of('bytes').toFixed(0),
    ];
  });
  return {
    tables: [
      {
        title: `start of a page, processor ${slowdown} times slower`,
        head: [
          'chat',
          'ms to the first typed message',
          'ms to the first delta',
          'between',
          'B of ours, gzip',
        ],
        rows,
      },
    ],
    figures: [],
  };
}

/** Builds the pages as an application would, React in a file of its own. */
async function buildPages(outDir: string): Promise<void> {
  const pages = `${root}/benches/start/page`;
  const groups = [{ name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// }];
  await build({
    configFile: false,
    root: pages,
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      rolldownOptions: {
        input: chats.map((chat) => `${pages}/${chat}.html`),
        output: { codeSplitting: { groups } },
      },
    },
  });
}

async function open(browser: Browser, url: string, directory: string, chat: string): Promise<Start> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${chat}: ${error.message}`));
  const files: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js') && !pathname.includes('/react-')) files.push(pathname);
  });
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(`${url}/${chat}.html`, { waitUntil: 'commit' });
  await page.waitForFunction(() => 'started' in window);
  const times = (await page.evaluate(() => (window as unknown as { started: unknown }).started)) as Omit<
    Start,
    'bytes'
  >;
  await context.close();
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(directory, file))).length, 0);
  return { ...times, bytes };
}
