import react from '@vitejs/plugin-react';
import { type Browser, chromium } from 'playwright-core';
import { build } from 'vite';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { root } from '../../scripts/root.ts';
import { temporaryFolder } from '../../scripts/temporary-folder.ts';
import type { Runners } from '../page/bench-window.ts';
import { startBenchServer } from './bench-server.ts';
import { type MainTask, mainTasks, traceCategories } from './main-tasks.ts';

type Params<Name extends keyof Runners> = Parameters<Runners[Name]>[1];
type ResultOf<Name extends keyof Runners> = Awaited<ReturnType<Awaited<ReturnType<Runners[Name]>>>>;

/** Runs something in its own page; null when it times out. */
export type InPage = <Name extends keyof Runners>(
  runner: Name,
  adapter: string,
  params: Params<Name>,
  isTraced?: boolean,
) => Promise<Ran<ResultOf<Name>> | null>;

/** A page that runs something repeatedly; null when it times out. */
export type BenchPage<Result> = {
  /** Runs once. A traced run reports the tasks of its main thread and takes a little longer. */
  readonly run: (isTraced?: boolean) => Promise<Ran<Result> | null>;
  /** Memory in use after a garbage collection, in bytes, and the number of nodes in its documents. */
  readonly heap: () => Promise<{ readonly bytes: number; readonly nodes: number }>;
  readonly close: () => Promise<void>;
};

export type OpenPage = <Name extends keyof Runners>(
  runner: Name,
  adapter: string,
  params: Params<Name>,
) => Promise<BenchPage<ResultOf<Name>>>;

/** The result of a run, and the processor time of its main thread, in milliseconds. */
export type Ran<Result> = {
  readonly result: Result;
  readonly cpuMs: number;
  /** Empty unless the run was traced. */
  readonly tasks: readonly MainTask[];
};

export type BenchBrowser = {
  readonly origins: readonly string[];
  readonly inPage: InPage;
  readonly openPage: OpenPage;
  readonly close: () => Promise<void>;
};

/** The longest run in a page, in milliseconds. */
const longestMs = 240_000;

/** Builds the page from the built packages as an application would, serves it, and starts Chromium. */
export async function openBenchBrowser(ports: number): Promise<BenchBrowser> {
  const directory = temporaryFolder('bench');
  await build({
    configFile: false,
    root: `${root}/benches/page`,
    logLevel: 'warn',
    plugins: [react()],
    build: { outDir: directory, emptyOutDir: true, chunkSizeWarningLimit: 2000 },
  });
  const server = await startBenchServer(directory, ports);
  const browser = await chromium.launch(launchOptions());
  const open = (runner: string, adapter: string, params: unknown): Promise<BenchPage<unknown>> =>
    openPage(browser, server.origins[0] ?? '', runner, adapter, params);
  return {
    origins: server.origins,
    openPage: (runner, adapter, params) => open(runner, adapter, params) as never,
    async inPage(runner, adapter, params, isTraced) {
      const page = await open(runner, adapter, params);
      const ran = await page.run(isTraced);
      await page.close();
      return ran as never;
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

async function openPage(
  browser: Browser,
  url: string,
  runner: string,
  adapter: string,
  params: unknown,
): Promise<BenchPage<unknown>> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${runner} of ${adapter}: ${error.message}`));
  await page.goto(url);
  const cdp = await context.newCDPSession(page);
  // Processor time is independent of other processes on the machine.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpu = async (): Promise<number> => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const run = async (isTraced: boolean): Promise<Ran<unknown>> => {
    if (isTraced) await browser.startTracing(page, { categories: traceCategories });
    const before = await cpu();
    const result = await page.evaluate(() => window.run());
    const cpuMs = (await cpu()) - before;
    return { result, cpuMs, tasks: isTraced ? mainTasks(await browser.stopTracing(), 'bench-run') : [] };
  };
  const prepared = page.evaluate((given) => window.prepare(...given), [runner, adapter, params] as const);
  const isReady = (await within(longestMs, prepared)) !== null;
  const heap = async (): Promise<{ bytes: number; nodes: number }> => {
    for (let pass = 0; pass < 3; pass++) await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await cdp.send('Runtime.getHeapUsage');
    const { nodes } = await cdp.send('Memory.getDOMCounters');
    return { bytes: usedSize, nodes };
  };
  return {
    heap,
    run: async (isTraced = false) => (isReady ? within(longestMs, run(isTraced)) : null),
    close: () => context.close(),
  };
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    // A late run fails when its page is closed, which was reported already.
    promise.catch(() => undefined);
  }
}
