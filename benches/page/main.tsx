import { createRoot } from 'react-dom/client';
import { aiSdk } from './adapters/ai-sdk.tsx';
import { floor } from './adapters/floor.tsx';
import { vitrine, vitrineUseAgent } from './adapters/vitrine.tsx';
import { type Adapter, counts, type Scenario } from './scenario.ts';

const adapters: Readonly<Record<string, Adapter>> = {
  floor,
  vitrine,
  'vitrine-useAgent': vitrineUseAgent,
  'ai-sdk': aiSdk,
};

export type PageResult = { readonly ms: number; readonly commits: number; readonly historyRenders: number };

declare global {
  interface Window {
    runBench: (name: string, scenario: Scenario) => Promise<PageResult>;
  }
}

window.runBench = async (name, scenario) => {
  const adapter = adapters[name];
  if (!adapter) throw new Error(`There is no adapter ${name}.`);
  const { App, start } = adapter(scenario);
  createRoot(document.getElementById('root') ?? document.body).render(<App />);
  await quiet();
  Object.assign(counts, { live: 0, commits: 0, history: 0 });
  const startedAt = performance.now();
  await start();
  await until(() =>
    (document.getElementById('live')?.textContent ?? '').includes(`w${scenario.deltas - 1} `),
  );
  const ms = performance.now() - startedAt;
  return { ms, commits: counts.commits, historyRenders: counts.history };
};

const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => requestAnimationFrame(resolve));
}
