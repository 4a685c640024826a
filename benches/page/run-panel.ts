import {
  type AgentSession,
  createAgentSession,
  defineAgent,
  type InferenceClient,
  type InferenceEvent,
} from '@vitrine/core';
import { fakeTool } from '@vitrine/core/testing';
import { counts, pause, resetCounts } from './probe.ts';

export type PanelParams = {
  /** `none` is a page without the panel, `closed` one on which nobody opened it; else what is open. */
  readonly view: PanelView;
  /** Steps that were taken before, each with a result of so many characters. */
  readonly steps: number;
  readonly resultLength: number;
  /** For so long a thousand deltas a second come, in milliseconds; 0 opens the panel and measures that. */
  readonly streamMs: number;
};

export type PanelView =
  'none' | 'closed' | 'Run' | 'Graph' | 'Events' | 'Sent' | 'Received' | 'Tools' | 'State' | 'Why';

export type PanelResult = {
  /** Of React; nothing else on the page is made with it. */
  readonly commits: number;
  readonly ms: number;
};

const tickMs = 10;
const settingsKey = 'vitrine-devtools:v2';

/** A page with a session and the panel. */
export async function runPanel(_adapter: string, params: PanelParams): Promise<() => Promise<PanelResult>> {
  const { view, steps, streamMs } = params;
  const isOpen = view !== 'none' && view !== 'closed';
  const main = view === 'Graph' || view === 'Events' ? view.toLowerCase() : 'run';
  const settings = { isOpen: isOpen && streamMs > 0, position: 'bottom', height: 420, tab: main };
  localStorage.setItem(settingsKey, JSON.stringify(settings));
  if (view !== 'none') {
    const { mountAgentDevtools } = await import('@vitrine/devtools/production');
    mountAgentDevtools(document.body, { position: 'bottom' });
  }
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

/** From the click to the frame that shows the steps. */
async function open(): Promise<PanelResult> {
  resetCounts();
  const startedAt = performance.now();
  inPanel<HTMLElement>('.launcher')?.click();
  while (inPanel('.lane') === null) await frame();
  await frame();
  return { commits: counts.commits, ms: performance.now() - startedAt };
}

function frame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

function inPanel<Found extends Element>(selector: string): Found | null {
  return (
    document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector<Found>(selector) ?? null
  );
}

async function openPage(view: PanelView): Promise<void> {
  const tabs = document
    .querySelector('[data-vitrine-devtools]')
    ?.shadowRoot?.querySelectorAll('[role="tab"]');
  const tab = [...(tabs ?? [])].find(({ textContent }) => textContent === view);
  if (!(tab instanceof HTMLElement)) throw new Error(`The panel has no page ${view}.`);
  tab.click();
  await pause(1000);
}

function sessionOf({ steps, resultLength, streamMs }: PanelParams): AgentSession {
  let taken = 0;
  const inference: InferenceClient = {
    async *stream() {
      yield { type: 'start', id: null, model: null };
      if (taken++ < steps) {
        yield { type: 'tool-call', toolCallId: `call-${taken}`, toolName: 'look', input: { step: taken } };
        yield finish('tool-calls');
      } else {
        if (taken > steps + 1 || steps === 0) yield* deltas(streamMs);
        else yield { type: 'text-delta', delta: 'The steps are taken.' };
        yield finish('stop');
      }
    },
  };
  const agent = defineAgent({
    name: 'bench',
    systemPrompt: 'Be quick.',
    inference,
    tools: [fakeTool('look', 'x'.repeat(resultLength))],
    budget: { maxSteps: steps + 2 },
    compileMessages: () => [],
  });
  return createAgentSession({ agent });
}

/** As many as the clock asks for, however long it takes. */
async function* deltas(ms: number): AsyncGenerator<InferenceEvent> {
  const startedAt = performance.now();
  let given = 0;
  for (let now = startedAt; now < startedAt + ms; now = performance.now()) {
    for (; given < now - startedAt; given++)
      yield { type: 'text-delta', delta: given % 12 === 0 ? ' and\n' : 'more ' };
    await pause(tickMs);
  }
}

function finish(finishReason: 'stop' | 'tool-calls'): InferenceEvent {
  const usage = {
    inputTokens: 1,
    outputTokens: 1,
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 2,
    cost: null,
  };
  return { type: 'finish', finishReason, usage };
}
