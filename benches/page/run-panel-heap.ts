import { mountPanel, openPage, sessionOf, until } from './panel-page.ts';
import { pause } from './probe.ts';

export type PanelHeapParams = { readonly hasPanel: boolean; readonly steps: number };

/** Prepares each memory measurement: runs the steps, opens the panel, closes it. */
export async function runPanelHeap(
  _adapter: string,
  { hasPanel, steps }: PanelHeapParams,
): Promise<() => Promise<void>> {
  const session = sessionOf({ steps, resultLength: 1000 });
  if (hasPanel) await mountPanel(false, 'run');
  const acts = [() => session.sendMessage('Take the steps'), open, close, open, close];
  return async () => {
    await acts.shift()?.();
    // Delayed work, such as announcements for screen readers, is done by then.
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
