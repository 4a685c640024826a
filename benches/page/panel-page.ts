import {
  AgentState,
  type AgentSession,
  createAgentSession,
  defineAgent,
  type InferenceClient,
  type InferenceEvent,
  type JsonObject,
  Usage,
} from '@vitrine/core';
import { fakeTool } from '@vitrine/testing';
import { pause } from './probe.ts';

/** The session that the panel shows. */
export type SessionParams = {
  /** Steps for the first message, each with a result of so many characters. */
  readonly steps: number;
  readonly resultLength: number;
  /** The duration of the answer to a later message, in milliseconds. */
  readonly streamMs?: number;
  /** Its deltas a second. Default: 1,000. */
  readonly perSecond?: number;
  /** Further content of its state. */
  readonly metadata?: JsonObject;
};

const tickMs = 10;
const settingsKey = 'vitrine-devtools:v2';

/** Mounts the panel into the page, closed or open on one of its views. */
export async function mountPanel(isOpen: boolean, tab: string): Promise<void> {
  const settings = { isOpen, position: 'bottom', height: 420, tab };
  localStorage.setItem(settingsKey, JSON.stringify(settings));
  const { mountAgentDevtools } = await import('@vitrine/devtools/production');
  mountAgentDevtools(document.body, { position: 'bottom' });
  await until(isOpen ? '.panel' : '.launcher');
}

/** Waits for an element of the panel. */
export async function until(selector: string): Promise<HTMLElement> {
  for (;;) {
    const found = inPanel(selector);
    if (found !== null) return found;
    await frame();
  }
}

export function frame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

export function inPanel(selector: string): HTMLElement | null {
  return panelRoot()?.querySelector<HTMLElement>(selector) ?? null;
}

export function panelRoot(): ShadowRoot | null {
  return document.querySelector('[data-vitrine-devtools]')?.shadowRoot ?? null;
}

/** Opens a view of the panel, or a page of a step. */
export async function openPage(name: string): Promise<void> {
  const tabs = panelRoot()?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [];
  const tab = [...tabs].find(({ textContent }) => textContent === name);
  if (tab === undefined) throw new Error(`The panel has no page ${name}.`);
  tab.click();
  await pause(1000);
}

export function sessionOf(params: SessionParams): AgentSession {
  const { steps, resultLength, streamMs = 0, perSecond = 1000, metadata = {} } = params;
  let taken = 0;
  const inference: InferenceClient = {
    async *stream() {
      yield { type: 'start', id: null, model: null };
      if (taken++ < steps) {
        yield { type: 'tool-call', toolCallId: `call-${taken}`, toolName: 'look', input: { step: taken } };
        yield finish('tool-calls');
      } else {
        if (taken > steps + 1 || steps === 0) yield* deltas(streamMs, perSecond);
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
  return createAgentSession({ agent, initialState: AgentState.withMetadata(AgentState.create(), metadata) });
}

/** As many deltas as the clock asks for, however long each takes. */
async function* deltas(ms: number, perSecond: number): AsyncGenerator<InferenceEvent> {
  const startedAt = performance.now();
  let given = 0;
  for (let now = startedAt; now < startedAt + ms; now = performance.now()) {
    for (; given < ((now - startedAt) * perSecond) / 1000; given++)
      yield { type: 'text-delta', delta: given % 12 === 0 ? ' and\n' : 'more ' };
    await pause(tickMs);
  }
}

function finish(finishReason: 'stop' | 'tool-calls'): InferenceEvent {
  const usage = Usage.of({ inputTokens: 1, outputTokens: 1 });
  return { type: 'finish', finishReason, usage };
}
