import type { BundlerName } from './bundlers.ts';

export type SizeBudget = {
  readonly name: string;
  /** The source of an application. */
  readonly code: string;
  /**
   * The measured part: the start of the page, all that a visit downloads except for the files with one of some texts
   * (features that it does not use), the files loaded later that contain a text, the files that load with one of them
   * after another has loaded, or the addition to another application: to its start, or in all, except for files that
   * contain one of some texts.
   */
  readonly part:
    | 'first'
    | { readonly downloads: readonly string[] }
    | { readonly lazyWith: string }
    | { readonly loadedWith: string; readonly after: string }
    | { readonly addedFirst: string }
    | { readonly addedTo: string; readonly except?: readonly string[] };
  /** The goal in bytes after gzip, for all bundled code except React. */
  readonly goal: number;
  /** The upper bound with each bundler: the goal, or the size that was reached and three percent. */
  readonly limits: Readonly<Partial<Record<BundlerName, number>>>;
  /** The reason why a goal is not met. */
  readonly missed?: string;
  /** Text that must not be in the bundle, nor in a chunk beside it. */
  readonly without?: string;
  /** Text that must be in the bundle, so that a search for it elsewhere means something. */
  readonly holding?: string;
};

/** A chat with a tool and a hand-written schema. */
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

/** A text of the panel only. */
const panelMarker = 'No session on this page yet';
const panel = "export { AgentDevtools } from '@vitrine/devtools/production';";
const observers = `
export { observeAgUi } from '@vitrine/ag-ui/observe';
export { observeChat, vitrineTelemetry } from '@vitrine/ai-sdk/observe';
export { observeLangGraph } from '@vitrine/langgraph/observe';
export { observeConnection } from '@vitrine/tanstack-ai';`;
/** A text of the observers only. */
const observerMarker = 'does not show a part of';
/** A text of the panel's graph only. */
const graphMarker = 'reactflow.dev';
/** A text of the traces tab only. */
const traceMarker = '.trace.json';
/** A text of the open panel only, which a page loads when its button is pressed. */
const openPanelMarker = 'waterfall';
/** A text of the replay, which traces and forks load when they are opened. */
const replayMarker = 'differs from the recording';
/** Texts of the page of forks, and of the runs that it and experiments fork. */
const forkMarker = 'forks.end()';
const forkedRunMarker = 'does not make it unasked';
/** A text of the page of many runs. */
const historyMarker = 'T00:00';
/** A text of the detectors, which load after the panel is shown. */
const detectorMarker = 'speaks to the model';
/** A text of the expectations, which load with the page of causes. */
const causeMarker = 'every run asks a model once';
/** A text of the questions of agents, which load with the option `webMcp`. */
const questionMarker = 'Ask this first';
/** A text of the bridge to Redux DevTools, which loads with the option `reduxDevtools`. */
const reduxMarker = '__REDUX_DEVTOOLS_EXTENSION__';
/** A text of zod, which checks what those questions are given. */
const zod = 'invalid_type';
/** A text of the findings that a chat shows. */
const findingMarker = 'cut at the output limit';
const chatApp = chat('', '');
const storedChat = chat(', browserSessions', ", { sessionId: 'a', sessions: browserSessions() }");
/** A text of the warnings of a development build. */
const warnings = 'a selector returns a new value';
/** A text of the memory of the page, which serves named sessions without a store, and forks. */
const memory = 'later:[]';
/** A text of zod's converter to JSON Schema, which loads with the first agent that has a schema of `zod/mini`. */
const converter = 'cannot be represented in JSON Schema';
/** A text of the validator of JSON Schemas, which loads with the first tool that has one. */
const validator = 'Unresolved $ref';
/** A text of the check of files, which loads with a file field. */
const fileCheck = 'shellscript';
/** A text of the move of a session to a server, which loads with the first move. */
const move = 'could not be stored here first';
/** Texts of the converter, of the link of tabs, the writer, the codec and what they share: they load with a store. */
const ofStores = [
  converter,
  'handing',
  'sinceWriteMs',
  'pairs of start',
  'isWaiting:!0',
  'is no longer stored',
];

export const sizeBudgets: readonly SizeBudget[] = [
  {
    name: 'plain chat, all that it downloads',
    code: chatApp,
    part: { downloads: [memory, validator, fileCheck, move, ...ofStores] },
    goal: 53_248,
    // Effect logs and the price before the first call brought 0.8 kB. Breakpoints, runs that go on after a limit, unsent
    // commands, moves to a server and the persons who gave commands brought 7 kB together.
    // Broken arguments that are read, hooks in call order, failures that book nothing, well-formed texts, files that a
    // model refuses, text that survives a translator, and the fallbacks for older browsers brought 8 kB together.
    // Features that plug into slots of the loop brought 1 kB. The tables of all events load where unknown events enter.
    limits: { vite: 101_900, webpack: 104_040, rspack: 103_690, esbuild: 109_680 },
    missed:
      'The loop and the machine of a session are one program of 40 kB. Subagents, plugins, attachments and structured output take 0.5 to 1.2 kB each: loaded apart, each costs as much in files that bundlers then share.',
    without: warnings,
  },
  {
    name: 'chat with browserSessions, tabs and branches, all that it downloads',
    code: storedChat,
    part: { downloads: [memory, validator, fileCheck, move, converter] },
    goal: 69_632,
    // As above, and the tail of records with which a follower joins again.
    // Several writers without a lock, stores that never answer, lost databases, and ids of any text brought 1.5 kB more.
    limits: { vite: 150_060, webpack: 152_275, rspack: 151_815, esbuild: 155_500 },
    missed:
      'The plain chat takes 90 kB. The codec and the rows add 14 kB; the link, the writer and what others do to a stored session add 17. That part is a file of its own, which costs 1 to 2 kB here and saves a plain chat 4.',
  },
  {
    name: 'plain chat, before the first message can be typed',
    code: chatApp,
    part: 'first',
    goal: 20_480,
    // The commands and fields of breakpoints, moves and unsent messages brought 1.8 kB.
    limits: { vite: 32_930, webpack: 30_630, rspack: 30_585, esbuild: 51_840 },
    missed:
      'Selectors work on any state from the first import, on a server too; definitions name the mistakes of plain JavaScript; esbuild divides by files.',
  },
  {
    name: 'StopSignal',
    code: "export { StopSignal } from '@vitrine/core'",
    part: 'first',
    goal: 2_304,
    // esbuild puts exports of the main entry into the start when a file that is loaded later uses them as well.
    limits: { vite: 1_210, webpack: 1_270, rspack: 1_310, esbuild: 27_750 },
  },
  {
    name: 'devtools in production',
    code: "export { AgentDevtools } from '@vitrine/devtools'",
    part: 'first',
    goal: 300,
    limits: { vite: 130, webpack: 100, rspack: 240, esbuild: 120 },
    without: panelMarker,
  },
  {
    name: 'devtools in production, added to a chat',
    code: `${chatApp}\nexport { AgentDevtools } from '@vitrine/devtools';`,
    part: { addedFirst: chatApp },
    goal: 300,
    limits: { vite: 80, webpack: 80, rspack: 80, esbuild: 70 },
    without: panelMarker,
  },
  {
    name: 'observers of other libraries in production',
    code: observers,
    part: 'first',
    goal: 300,
    limits: { vite: 240 },
    without: observerMarker,
  },
  {
    name: 'panel, before it is loaded, added to a chat',
    code: `${chatApp}\n${panel}`,
    part: { addedFirst: chatApp },
    goal: 1024,
    // esbuild moves parts of core that the panel loads later into the start of the chat, because both import its main
    // entry.
    // The option `webMcp` is one more file that loads late.
    limits: { vite: 1_260, webpack: 1_180, rspack: 1_350 },
  },
  {
    name: 'panel, before it is loaded, alone',
    code: panel,
    part: 'first',
    // It includes 900 B of esbuild itself, and the hub, which a page with sessions has already. esbuild writes the
    // listeners of the hub as a file of their own.
    goal: 2048,
    limits: { esbuild: 1_920 },
    missed: 'Another file that a bundler writes for code which other chunks share too.',
  },
  {
    // The chat is stored, so the code for documents is loaded already.
    name: 'panel without graph and traces, added to a chat',
    code: `${storedChat}\n${panel}`,
    part: {
      addedTo: storedChat,
      except: [
        graphMarker,
        traceMarker,
        replayMarker,
        forkMarker,
        forkedRunMarker,
        questionMarker,
        reduxMarker,
        detectorMarker,
        causeMarker,
        historyMarker,
        zod,
      ],
    },
    goal: 61_440,
    // The texts of all views load with the panel, because an application can replace them.
    limits: { vite: 82_330 },
    missed: 'The findings, the debugger and their texts take 12 kB. The detectors load later, and take 27.',
    holding: panelMarker,
  },
  {
    name: 'detectors of the panel, loaded behind its first view',
    code: panel,
    part: { lazyWith: detectorMarker },
    goal: 28_000,
    limits: { vite: 27_000 },
  },
  {
    name: 'experiments of the panel, loaded when its page of causes is opened',
    code: panel,
    part: { loadedWith: causeMarker, after: openPanelMarker },
    goal: 60_000,
    limits: { vite: 89_205 },
    missed:
      'An experiment runs the loop of agents on a fork, which the panel has nowhere else, and asks the detectors what to try.',
  },
  {
    name: 'graph of the panel, loaded when it is opened',
    code: panel,
    part: { lazyWith: graphMarker },
    goal: 76_800,
    limits: { vite: 62_460 },
  },
  {
    name: 'traces of the panel, loaded when they are opened',
    code: panel,
    part: { loadedWith: traceMarker, after: openPanelMarker },
    goal: 33_000,
    // The loop that a replay runs is a file of its own, which forks share.
    limits: { vite: 45_800 },
    missed: 'A replay runs the loop of agents, which takes 27 kB.',
  },
  {
    name: 'findings for people, loaded when an answer lacks something',
    code: "export { Activity } from '@vitrine/react/components';",
    part: { lazyWith: findingMarker },
    goal: 3_072,
    limits: { vite: 3_000, webpack: 3_100, rspack: 2_907, esbuild: 3_120 },
  },
];
