import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { type Browser, chromium } from 'playwright-core';
import { build, defaultClientConditions } from 'vite';
import { launchOptions } from '../scripts/ensure-chromium.ts';
import { root } from '../scripts/root.ts';
import type { PageResult } from './page/main.tsx';
import type { Scenario } from './page/scenario.ts';
import { median, print } from './report.ts';

const adapters = ['floor', 'vitrine', 'vitrine-useAgent', 'ai-sdk'];
const histories = [0, 100, 1000];

/** Streams into a page with a history, in Chromium, as a production build; every run has a page of its own. */
export async function streaming(rounds: number): Promise<void> {
  const page = await servePage();
  const browser = await chromium.launch(launchOptions());
  const results = new Map<string, PageResult[]>();
  const measure = async (name: string, scenario: Scenario): Promise<void> => {
    const key = `${name}|${scenario.history}|${scenario.burst}`;
    results.set(key, [...(results.get(key) ?? []), await runPage(browser, page.url, name, scenario)]);
  };
  for (let round = 0; round < rounds; round++) {
    // Forwards and backwards in turn, so that a machine that slows down treats all alike.
    const order = round % 2 === 0 ? adapters : adapters.toReversed();
    for (const history of histories)
      for (const name of order) await measure(name, { history, deltas: 2000, burst: 1 });
    for (const name of order) await measure(name, { history: 100, deltas: 500, burst: 500 });
  }
  await browser.close();
  page.close();
  report(results, rounds);
}

function report(results: ReadonlyMap<string, readonly PageResult[]>, rounds: number): void {
  const ms = (name: string, history: number): number =>
    median(results.get(`${name}|${history}|1`)?.map((result) => result.ms) ?? []);
  const first = (name: string, history: number, burst: number): PageResult | undefined =>
    results.get(`${name}|${history}|${burst}`)?.[0];
  print(
    `Streaming 2,000 deltas in Chromium, median of ${rounds} runs. Goals: at most 1.0 x the floor, growth at most 1.25, no renders of history, at most 4 commits for a burst.`,
    [
      'adapter',
      ...histories.map((history) => `µs/delta at ${history}`),
      ...histories.map((history) => `x floor at ${history}`),
      'growth 0 → 1,000',
      'commits',
      'history renders',
      'commits for 500 at once',
    ],
    adapters.map((name) => [
      name,
      ...histories.map((history) => (ms(name, history) / 2).toFixed(1)),
      ...histories.map((history) => (ms(name, history) / ms('floor', history)).toFixed(2)),
      (ms(name, 1000) / ms(name, 0)).toFixed(2),
      String(first(name, 1000, 1)?.commits),
      String(first(name, 1000, 1)?.historyRenders),
      String(first(name, 100, 500)?.commits),
    ]),
  );
}

async function runPage(browser: Browser, url: string, name: string, scenario: Scenario): Promise<PageResult> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  const result = await page.evaluate(([adapter, given]) => window.runBench(adapter, given), [
    name,
    scenario,
  ] as const);
  await context.close();
  return result;
}

async function servePage(): Promise<{ url: string; close: () => void }> {
  const outDir = mkdtempSync(join(tmpdir(), 'vitrine-bench-'));
  await build({
    configFile: false,
    root: `${root}/benches/page`,
    logLevel: 'warn',
    plugins: [react()],
    resolve: { conditions: ['@vitrine/source', ...defaultClientConditions] },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 2000 },
  });
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '');
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    readFile(join(outDir, path)).then(
      (file) => response.writeHead(200, { 'content-type': type }).end(file),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => void server.close(),
  };
}
