import type { AgentSession } from '@vitrine/core';
import { frame, inPanel, mountPanel, openPage, type SessionParams, sessionOf } from './panel-page.ts';
import { counts, pause, resetCounts } from './probe.ts';

export type PanelParams = SessionParams & {
  /** `none` is a page without the panel, `closed` one on which nobody opened it; otherwise the open view. */
  readonly view: PanelView;
  /** Duration of the deltas; 0 measures opening the panel. */
  readonly streamMs: number;
};

export type PanelView =
  'none' | 'closed' | 'Run' | 'Graph' | 'Events' | 'Sent' | 'Received' | 'Tools' | 'State' | 'Why';

export type PanelResult = {
  /** Commits of React; nothing else on the page uses it. */
  readonly commits: number;
  readonly ms: number;
};

/** A page with a session and the panel. */
export async function runPanel(_adapter: string, params: PanelParams): Promise<() => Promise<PanelResult>> {
  const { view, steps, streamMs } = params;
  const isOpen = view !== 'none' && view !== 'closed';
  const main = view === 'Graph' || view === 'Events' ? view.toLowerCase() : 'run';
  if (view !== 'none') await mountPanel(isOpen && streamMs > 0, main);
  const session = sessionOf(params);
  if (steps > 0) await session.sendMessage('Take the steps');
  await pause(500);
  if (isOpen && streamMs > 0) await openPage(view);
  return streamMs > 0 ? () => stream(session, streamMs) : open;
}

async function stream(session: AgentSession, ms: number): Promise<PanelResult> {
  resetCounts();
  const startedAt = performance.now();
  await session.sendMessage('Tell me');
  const took = performance.now() - startedAt;
  const { commits } = counts;
  if (took < ms) throw new Error(`The stream took ${took} ms of ${ms} ms.`);
  return { commits, ms: took };
}

/** Measures from the click to the frame that shows the steps. */
async function open(): Promise<PanelResult> {
  resetCounts();
  const startedAt = performance.now();
  inPanel('.launcher')?.click();
  while (inPanel('.lane') === null) await frame();
  await frame();
  return { commits: counts.commits, ms: performance.now() - startedAt };
}
