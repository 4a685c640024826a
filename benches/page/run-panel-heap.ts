import { mountPanel, openPage, sessionOf, until } from './panel-page.ts';
import { pause } from './probe.ts';

export type PanelHeapParams = { readonly hasPanel: boolean; readonly steps: number };

/** What a page does before each look at its memory: it takes the steps, opens the panel, closes it. */
export async function runPanelHeap(
  _adapter: string,
  { hasPanel, steps }: PanelHeapParams,
): Promise<() => Promise<void>> {
  const session = sessionOf({ steps, resultLength: 1000 });
  if (hasPanel) await mountPanel(false, 'run');
  const acts = [() => session.sendMessage('Take the steps'), open, close, open, close];
  return async () => {
    await acts.shift()?.();
    // What is told later, as to who listens to a screen, is told.
    await pause(2500);
  };
}

async function open(): Promise<void> {
  (await until('.launcher')).click();
  (await until('.lane')).click();
  for (const name of ['Sent', 'State', 'Graph', 'Events', 'Run']) await openPage(name);
}

async function close(): Promise<void> {
  (await until('[aria-label="Close devtools"]')).click();
  await until('.launcher');
}
