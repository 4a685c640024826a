import { renderMarkdown } from '@a2ui/markdown-it';
import {
  A2uiSurface,
  basicCatalog,
  MarkdownContext,
  type ReactComponentImplementation,
} from '@a2ui/react/v0_9';
import { type ActionListener, MessageProcessor } from '@a2ui/web_core/v0_9';
import { browserSessions, defineAgent, Message } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import theme from '@vitrine/react/theme.css?inline';
import type { InferenceClient, Tool } from '@vitrine/core';
import type { ComponentProps } from 'react';
import { createRoot } from 'react-dom/client';
import { a2uiTool } from '../../../apps/registry/a2ui-tool.tsx';
import { a2uiView } from '../../../apps/registry/a2ui-view.tsx';
import { booking, brokenSurface } from './messages.ts';

declare global {
  /** Lets the model write so many more characters of its arguments. */
  var write: (characters: number) => void;
  /** The last message to the model, as JSON. */
  var told: string;
}

const createProcessor = (onAction?: ActionListener) =>
  new MessageProcessor<ReactComponentImplementation>([basicCatalog], onAction);
const showInterface = a2uiTool(createProcessor);
const waiting: Tool = { ...showInterface, name: 'ask_by_interface', execute: null };
const Surface = (props: ComponentProps<typeof A2uiSurface>) => (
  <MarkdownContext.Provider value={renderMarkdown}>
    <A2uiSurface {...props} />
  </MarkdownContext.Provider>
);
const tools = [
  a2uiView(showInterface, { createProcessor, Surface }),
  a2uiView(waiting, { createProcessor, Surface }),
];

let room = 0;
let wake = (): void => undefined;
globalThis.write = (characters) => {
  room += characters;
  wake();
};

/** Writes a surface at the pace of the test, and then says what it was told. */
const inference: InferenceClient = {
  async *stream({ messages }) {
    yield { type: 'start', id: null, model: null };
    const last = messages.at(-1)!;
    const text = Message.text(last);
    globalThis.told = JSON.stringify(last.parts);
    if (last.role === 'tool' || !text.startsWith('Show')) {
      yield { type: 'text-delta', delta: last.role === 'tool' ? 'There it is.' : 'Booked.' };
      return yield { type: 'finish', finishReason: 'stop', usage: null } as never;
    }
    const input = { messages: text.includes('broken') ? brokenSurface : booking };
    const call = { toolCallId: 'c', toolName: text.includes('wait') ? waiting.name : showInterface.name };
    yield { type: 'tool-call-start', ...call };
    for (const delta of JSON.stringify(input).match(/[\s\S]{1,7}/g) ?? []) {
      while (room <= 0) await new Promise<void>((resolve) => (wake = resolve));
      room -= delta.length;
      yield { type: 'tool-call-delta', toolCallId: 'c', delta };
    }
    yield { type: 'tool-call', ...call, input: input as never };
    return yield { type: 'finish', finishReason: 'tool-calls', usage: null } as never;
  },
};

const agent = defineAgent({ name: 'clerk', inference, tools: [showInterface, waiting] });
const sessions = browserSessions({ name: 'a2ui' });

export function showSurfaces(): void {
  document.documentElement.style.colorScheme = 'light dark';
  document.head.append(Object.assign(document.createElement('style'), { textContent: theme }));
  createRoot(document.body.appendChild(document.createElement('div'))).render(
    <Chat agent={agent} sessions={sessions} tools={tools} />,
  );
}
