import { defineAgent, defineTool, proxyInference, useAgent } from '@vitrine/react';
import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { pause } from './probe.ts';
import { Row, type RowMessage } from './row.tsx';
import { localFetch } from './steps-upstream.ts';

export type StepsParams = { readonly steps: number };

/** The end of each step since the beginning of the run, in milliseconds. */
export type StepsResult = { readonly endedAt: readonly number[] };

type StepsAdapter = (steps: number) => {
  readonly App: ComponentType;
  readonly run: () => Promise<unknown>;
  readonly endedAt: readonly number[];
};

/** Runs tool steps in a page: request, server-sent events, tool, React. A short run before it warms up. */
export async function runSteps(name: string, { steps }: StepsParams): Promise<() => Promise<StepsResult>> {
  const adapter = adapters[name];
  if (!adapter) throw new Error(`There is no adapter ${name} for steps.`);
  await run(adapter(300));
  return async () => {
    const measured = adapter(steps);
    const startedAt = await run(measured);
    return { endedAt: measured.endedAt.map((time) => time - startedAt) };
  };
}

async function run({ App, run: start }: ReturnType<StepsAdapter>): Promise<number> {
  const root = createRoot(document.getElementById('root') ?? document.body);
  root.render(<App />);
  await pause(300);
  const startedAt = performance.now();
  await start();
  root.unmount();
  await pause(100);
  return startedAt;
}

/** A page of thousands of steps shows only the ones in view. */
const shownRows = 30;

const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

const result = (n: number): string =>
  `The result of call ${n}, as long as such things are when they are short.`;

/** Default options with the mapped messages of `useAgent`. */
const vitrine: StepsAdapter = (steps) => {
  const endedAt: number[] = [];
  const echo = defineTool({
    name: 'echo',
    description: 'Gives back what it is given',
    input: {
      '~standard': {
        version: 1,
        vendor: 'bench',
        validate: (value: unknown) => ({ value: value as { n: number } }),
      },
    },
    inputSchema,
    execute: (input) => result((input as { n: number }).n),
  });
  const agent = defineAgent({
    name: 'bench',
    systemPrompt: '',
    inference: proxyInference({ url: '/local', fetch: localFetch(steps) }),
    tools: [echo],
    budget: { maxSteps: steps + 1 },
  });
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type === 'step-end') endedAt.push(performance.now());
  };
  let send: ((text: string) => Promise<unknown>) | null = null;
  const App = (): ReactNode => {
    const { messages, sendMessage } = useAgent(agent, { onEvent });
    send = sendMessage;
    return messages
      .slice(-shownRows)
      .map((message) => <Row key={message.id} message={message as RowMessage} />);
  };
  return { App, run: async () => send?.('Go'), endedAt };
};

type Event = { type: string; delta: string; toolCallId: string; input: { n: number } };

/** A loop by hand: each message becomes JSON once, and rows are shown once a frame. */
const floorFrame: StepsAdapter = (steps) => {
  const endedAt: number[] = [];
  const send = localFetch(steps);
  let bodies = JSON.stringify({ role: 'user', parts: [{ type: 'text', text: 'Go' }] });
  let rows: readonly RowMessage[] = [];
  let frame: number | null = null;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const show = (): void => {
    frame = null;
    listeners.forEach((listener) => listener());
  };
  const App = (): ReactNode =>
    useSyncExternalStore(subscribe, () => rows)
      .slice(-shownRows)
      .map((message) => <Row key={message.id} message={message} />);
  async function step(): Promise<boolean> {
    const response = await send('/local', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"messages":[${bodies}],"tools":[${JSON.stringify(inputSchema)}]}`,
    });
    const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
    const events = blocks.map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as Event);
    const text = events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('');
    const call = events.find((event) => event.type === 'tool-call');
    const parts = [{ type: 'text', text }, ...(call ? [{ ...call, toolName: 'echo' }] : [])];
    bodies += `,${JSON.stringify({ role: 'assistant', parts })}`;
    if (call) {
      const output = { type: 'tool-result', toolCallId: call.toolCallId, output: result(call.input.n) };
      bodies += `,${JSON.stringify({ role: 'tool', parts: [output] })}`;
    }
    rows = [...rows, { id: String(rows.length), parts }];
    frame ??= requestAnimationFrame(show);
    endedAt.push(performance.now());
    return call !== undefined;
  }
  return {
    App,
    async run() {
      while (await step()) continue;
    },
    endedAt,
  };
};

const adapters: Readonly<Record<string, StepsAdapter>> = { useAgent: vitrine, 'floor-frame': floorFrame };
