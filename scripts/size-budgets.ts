import type { BundlerName } from './bundlers.ts';

export type SizeBudget = {
  readonly name: string;
  /** What an application writes. */
  readonly code: string;
  /**
   * What is weighed: what the page starts with, all that it can load later (the engine, and the client of the proxy), of
   * these the files that hold a text, or what it adds to another application: to what that starts with, or in all, but for
   * files that hold one of some texts.
   */
  readonly part:
    | 'first'
    | 'lazy'
    | { readonly lazyWith: string }
    | { readonly addedFirst: string }
    | { readonly addedTo: string; readonly except?: readonly string[] };
  /** What it should take: bytes after gzip, all that is bundled, React aside. */
  readonly goal: number;
  /** What it may take with each bundler. Above the goal where that is not met yet: what it took, and three percent. */
  readonly limits: Readonly<Partial<Record<BundlerName, number>>>;
  /** Text that must not be in it, nor in a chunk beside it. */
  readonly without?: string;
  /** Text that must be in it, so that what looks for it elsewhere would find it. */
  readonly holding?: string;
};

/** A chat with a tool; its schema is the application's own, by hand. */
function chat(imports: string, options: string): string {
  return `
import { defineAgent, defineTool, proxyInference, useAgent${imports} } from '@vitrine/react';

const input = { '~standard': { version: 1, vendor: 'app', validate: (value) => ({ value }) } };
const add = defineTool({
  name: 'add',
  description: 'Adds two numbers',
  input,
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  execute: ({ a, b }) => a + b,
});
const agent = defineAgent({
  name: 'assistant',
  systemPrompt: 'Be kind.',
  inference: proxyInference({ url: '/api' }),
  tools: [add],
});

export function useChat() {
  const { messages, status, sendMessage, stop } = useAgent(agent${options});
  return [messages, status, sendMessage, stop];
}`;
}

/** The panel says it, and nothing else does. */
const panelMarker = 'No session on this page yet';
const panel = "export { AgentDevtools } from '@vitrine/devtools/production';";
/** What draws the graph of the panel says it. */
const graphMarker = 'reactflow.dev';
/** The tab of traces says it. */
const traceMarker = 'Make a test';
const chatApp = chat('', '');
const storedChat = chat(', localStorageSessions', ", { sessionId: 'a', sessions: localStorageSessions() }");

export const sizeBudgets: readonly SizeBudget[] = [
  {
    name: 'first chunk of a chat',
    code: chatApp,
    part: 'first',
    goal: 14_336,
    limits: { vite: 14_336, webpack: 14_336, rspack: 14_336, esbuild: 14_336 },
  },
  {
    name: 'engine, loaded later',
    code: chatApp,
    part: 'lazy',
    goal: 14_336,
    limits: { vite: 65_300, webpack: 66_500, rspack: 66_400, esbuild: 68_300 },
  },
  {
    name: 'codec and one store',
    code: storedChat,
    part: { addedTo: chatApp },
    goal: 12_288,
    limits: { vite: 25_000, webpack: 27_480, rspack: 27_110, esbuild: 24_760 },
  },
  {
    name: 'StopSignal',
    code: "export { StopSignal } from '@vitrine/core'",
    part: 'first',
    goal: 2_304,
    limits: { vite: 2_304, webpack: 2_304, rspack: 2_304, esbuild: 2_304 },
  },
  {
    name: 'devtools in production',
    code: "export { AgentDevtools } from '@vitrine/devtools'",
    part: 'first',
    goal: 300,
    limits: { vite: 300 },
    without: panelMarker,
  },
  {
    name: 'panel, before it is loaded, added to a chat',
    code: `${chatApp}\n${panel}`,
    part: { addedFirst: chatApp },
    goal: 1024,
    // esbuild moves what the panel loads later of core into what the chat starts with, as both import its main entry.
    limits: { vite: 1024, webpack: 1024, rspack: 1024 },
  },
  {
    name: 'panel, before it is loaded, alone',
    code: panel,
    part: 'first',
    // With 900 B of what esbuild itself adds, and with the hub, which a page with sessions has already.
    goal: 2048,
    limits: { esbuild: 2048 },
  },
  {
    // The chat is one that is stored: what reads and writes documents is there then.
    name: 'panel without graph and traces, added to a chat',
    code: `${storedChat}\n${panel}`,
    part: { addedTo: storedChat, except: [graphMarker, traceMarker] },
    goal: 61_440,
    limits: { vite: 61_440 },
    holding: panelMarker,
  },
  {
    name: 'graph of the panel, loaded when it is opened',
    code: panel,
    part: { lazyWith: graphMarker },
    goal: 76_800,
    limits: { vite: 76_800 },
  },
  {
    name: 'traces of the panel, loaded when they are opened',
    code: panel,
    part: { lazyWith: traceMarker },
    goal: 33_000,
    limits: { vite: 33_000 },
  },
];
