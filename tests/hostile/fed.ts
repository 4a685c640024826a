import {
  AgentState,
  createAgentLoop,
  createAgentSession,
  createJournal,
  defineAgent,
  defineHook,
  definePlugin,
  defineTool,
  ErrorInfo,
  ExecutionBudget,
  ExecutionContinuation,
  ExecutionState,
  AgentStep,
  Conversation,
  explainError,
  finalOutput,
  Id,
  type InferenceClient,
  type InferenceEvent,
  isAgentError,
  type JsonValue,
  Message,
  MessageStore,
  PluginState,
  proxyInference,
  readAttachment,
  repeatedCallGuard,
  runAgent,
  selectors,
  StepExecution,
  StopReason,
  StopSignal,
  summarizeHistory,
  type Tool,
  ToolExecution,
  Usage,
  effectLog,
} from '@vitrine/core';
import { exportMessages, importMessages } from '@vitrine/messages';
import { httpSessions, importSession, memorySessions, rowSessions } from '@vitrine/persist';
import { aguiAgent, importAgUiMessages, toAgUi, toAgUiMessages } from '@vitrine/ag-ui';
import { langGraphAgent } from '@vitrine/langgraph';
import {
  fromAiSdkTool,
  fromLanguageModel,
  importUiMessages,
  toUiMessages,
  toUiMessageStream,
  vitrineTransport,
} from '@vitrine/ai-sdk';
import {
  diagnose,
  checkCase,
  diff,
  importTrace,
  meets,
  redact,
  type RemoteChannel,
  replay,
  runExperiment,
  sessionHub,
  testOfJournal,
  watchSessions,
  questionsAbout,
} from '@vitrine/inspect';
import { isSecretName, redactText } from '@vitrine/inspect/internal/redact';
import { maskSecrets } from '@vitrine/core/internal/kit/mask-secrets';
import { isVisibleTo } from '@vitrine/mcp/internal/views';
import { mcpTools, mcpViews } from '@vitrine/mcp';
import { linkFromJSON, positionFromText } from '@vitrine/persist/internal/link/link-json';
import { readStoredPast } from '@vitrine/persist/internal/manage/stored-past';
import { takeMovingSession } from '@vitrine/persist/internal/manage/moving-session';
import { isSessionId } from '@vitrine/core/internal/kit/ids';
import { storedHeadTag } from '@vitrine/persist/internal/rows/head';
import { storedHeadVersion } from '@vitrine/persist/internal/rows/head-shape';
import { scriptedInference } from '@vitrine/testing';
import { createAgentServer } from '@vitrine/server';
import { createInferenceProxy, createSessionRoutes } from '@vitrine/proxy';
import { bearerAuth } from '@vitrine/proxy/jose';
import { offlineModel } from '@vitrine/proxy/offline';
import { attachmentUrl } from '@vitrine/react';
import { visibleParts, visibleText } from '@vitrine/react/components';
import * as z from 'zod';

/** A function of the public entries under the hostile input that it is given. */
export type Feed =
  { readonly text: (text: string) => unknown } | { readonly json: (value: never) => unknown };

const state = AgentState.create();
const schema = z.object({ items: z.array(z.number()) });
const plugin = definePlugin({ id: 'p', state: z.any() } as never);
const tool = (init: object): Tool =>
  defineTool({ name: 't', description: '', input: z.any(), ...init } as never);
const answered = (text: string): AgentState =>
  AgentState.withMessages(state, [Message.user('Hi'), Message.assistant(text)]);
/** The client of an MCP server that lists these tools. */
const clientOf = (tools: unknown): never =>
  ({ getServerCapabilities: () => ({ tools: {} }), listTools: async () => ({ tools }) }) as never;
const toolsOfServer = (tools: unknown): unknown =>
  mcpTools(clientOf(tools), { onError: () => undefined }).prepare?.({
    signal: new AbortController().signal,
  } as never);
const agentOf = (inference: InferenceClient, init: object = {}) =>
  defineAgent({
    name: 'a',
    systemPrompt: '',
    inference,
    retry: { maxAttempts: 1, maxOutputRetries: 0 },
    ...init,
  });

async function heard(events: AsyncIterable<InferenceEvent>): Promise<InferenceEvent[]> {
  const list: InferenceEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const request = (text: string) => ({
  model: null,
  messages: [Message.user(text)],
  tools: ['read_table', 'download_notes', 'add_note', 'list_notes', 'calculator', 'current_time'].map(
    (name) => ({
      name,
      description: '',
      inputSchema: {},
    }),
  ),
  toolChoice: 'auto' as const,
  responseFormat: null,
  settings: {},
});
const signal = new AbortController().signal;
const served = (body: string) => async (): Promise<Response> =>
  new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-inference-id': 'i' } });

const uiPart = (text: string) => ({ type: 'text', text });

async function drained(stream: ReadableStream<unknown>): Promise<void> {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

/** The parts of a model of the AI SDK that calls a tool with a text for its arguments. */
function languageModel(text: string): never {
  const parts = [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: text },
    { type: 'tool-call', toolCallId: 'c', toolName: 't', input: text },
    { type: 'finish', finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } },
  ];
  const doStream = async () => ({
    stream: new ReadableStream({ start: (to) => (parts.forEach((part) => to.enqueue(part)), to.close()) }),
  });
  return { provider: 'p', modelId: 'm', specificationVersion: 'v3', supportedUrls: {}, doStream } as never;
}

const post = (path: string, body: string): Request =>
  new Request(`http://localhost${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', host: 'localhost' },
  });

/** A server of agents whose host keeps nothing. */
const agentServerOf = () =>
  createAgentServer({
    agents: { clerk: agentOf(scriptedInference([{ text: 'Hi' }])) },
    log: () => undefined,
    authorize: () => ({ id: 'p' }),
    host: {
      sessions: () => memorySessions(),
      start: async () => undefined,
      submit: async () => undefined,
      answerOf: async () => null,
      bus: { say: () => undefined, listen: () => () => undefined },
    } as never,
  });

/** A model that calls a tool three times with an input and then answers. */
const repeating = (input: JsonValue): InferenceClient =>
  scriptedInference([
    ...Array.from({ length: 3 }, () => ({ toolCalls: [{ name: 't', input }] })),
    { text: 'a' },
  ]);

/** Gives a page that watches another one a message of it. */
function heardFrom(message: object): void {
  let hear = (_data: unknown): void => undefined;
  const open: RemoteChannel['open'] = (onMessage) => {
    hear = onMessage;
    return { post: () => undefined, close: () => undefined };
  };
  const leave = watchSessions({ open }, { hub: sessionHub(), onError: () => undefined });
  hear({ format: 'vitrine-remote', version: 1, message: { page: 'p', source: 's', n: 1, ...message } });
  leave();
}

const bearer = bearerAuth({ secret: 'x'.repeat(32), issuer: 'i', audience: 'a' });
const withToken = (token: string): Request =>
  ({ headers: { get: () => `Bearer ${token}` } }) as unknown as Request;

const json = (act: (value: never) => unknown): Feed => ({ json: act });
const text = (act: (text: string) => unknown): Feed => ({ text: act });

const moved = { sessionId: 'a', agentName: 'a' };
const movedJournal = { id: 'j', records: 0 };

/** Asks every question about an empty session. */
function askAll(input: unknown): void {
  const record = {
    pages: [{ journalId: 'a', base: state, events: [] }],
    state,
    stored: [],
    missed: 0,
    dropped: { events: 0, steps: 0, bytes: 0 },
  };
  for (const { ask } of questionsAbout(() => [{ id: 'a', name: 'a', record }]))
    try {
      ask(input);
    } catch (error) {
      if (!isAgentError(error, 'question-invalid')) throw error;
    }
}

const linkDocument = {
  journalId: 'a',
  earlier: [],
  state: AgentState.toJSON(AgentState.create()),
  others: [],
  branches: [],
  checkpoints: [],
};

/** By entry and name. A function that takes both a text and JSON has a row of each kind. */
export const fed: Readonly<Record<string, readonly Feed[]>> = {
  'AgentState.fromJSON': [json(AgentState.fromJSON), text((given) => AgentState.fromJSON(given as never))],
  'ExecutionState.fromJSON': [json(ExecutionState.fromJSON)],
  'StepExecution.fromJSON': [json(StepExecution.fromJSON)],
  'AgentStep.fromJSON': [json(AgentStep.fromJSON)],
  'ToolExecution.fromJSON': [json(ToolExecution.fromJSON)],
  'ExecutionContinuation.fromJSON': [json(ExecutionContinuation.fromJSON)],
  'ExecutionBudget.fromJSON': [json(ExecutionBudget.fromJSON)],
  'AgentState.create': [json((value) => AgentState.create({ metadata: value, responseFormat: value }))],
  'AgentState.withMetadata': [json((value) => AgentState.withMetadata(state, value))],
  'AgentState.withMessages': [json((value) => AgentState.withMessages(state, [Message.of('user', value)]))],
  'AgentState.withUserMessage': [text((given) => AgentState.withUserMessage(state, given))],
  'AgentState.withSystemPrompt': [text((given) => AgentState.withSystemPrompt(state, given))],
  'AgentState.withLlmConfig': [
    json((value) => AgentState.withLlmConfig(state, { model: null, settings: value })),
  ],
  'AgentState.withError': [json((value) => AgentState.withError(state, value))],
  'AgentState.withFailure': [json((value) => AgentState.withFailure(state, value))],
  'AgentState.withOutput': [json((value) => AgentState.withOutput(state, 'c', value))],
  'AgentState.withApproval': [
    json((value) => AgentState.withApproval(state, 'c', { input: value } as never)),
  ],
  'AgentState.withRejection': [
    text((given) => AgentState.withRejection(state, 'c', { reason: given } as never)),
  ],
  'AgentState.debug': [text((given) => AgentState.debug(answered(given)))],
  'AgentState.finalResponse': [text((given) => AgentState.finalResponse(answered(given)))],
  'AgentState.toJSON': [text((given) => AgentState.toJSON(answered(given)))],
  'Message.of': [json((value) => Message.of('user', value))],
  'Message.user': [text((given) => Message.user(given))],
  'Message.assistant': [text((given) => Message.assistant(given))],
  'Message.system': [text((given) => Message.system(given))],
  'Message.tool': [
    json((value) =>
      Message.tool([{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: value }] as never),
    ),
  ],
  'Message.withMetadata': [json((value) => Message.withMetadata(Message.user('a'), value))],
  'Message.text': [text((given) => Message.text(Message.user(given)))],
  'Message.reasoning': [text((given) => Message.reasoning(Message.assistant(given)))],
  'MessageStore.of': [text((given) => MessageStore.of([Message.user(given)] as never))],
  'ErrorInfo.of': [json((value) => ErrorInfo.of(value)), text((given) => ErrorInfo.of(new Error(given)))],
  'Id.of': [text((given) => Id.of(given))],
  'Usage.of': [json(Usage.of)],
  'StopSignal.of': [
    json((value) => StopSignal.of('completed', { context: value } as never)),
    text((given) => StopSignal.of(given as never, { message: given } as never)),
  ],
  'StopReason.isStopReason': [text((given) => StopReason.isStopReason(given as never))],
  'ExecutionBudget.of': [json(ExecutionBudget.of)],
  isAgentError: [json((value) => isAgentError(value))],
  explainError: [text((given) => explainError({ code: given, data: { explanation: given, model: given } }))],
  defineAgent: [
    json((value) => agentOf(scriptedInference([]), { llmConfig: { settings: value } })),
    text((given) => agentOf(scriptedInference([]), { name: given })),
  ],
  defineTool: [
    json((value) => tool({ inputSchema: value })),
    text((given) => tool({ name: given, description: given })),
  ],
  definePlugin: [text((given) => definePlugin({ id: given, state: z.any() } as never))],
  defineHook: [text((given) => defineHook({ name: given, points: {} } as never))],
  'PluginState.set': [json((value) => PluginState.set(state, plugin as never, value))],
  finalOutput: [text((given) => finalOutput(answered(given), schema as never))],
  'Conversation.output': [text((given) => Conversation.output(answered(given), schema as never))],
  'Conversation.messages': [text((given) => Conversation.messages(answered(given)))],
  'selectors.title': [
    text((given) => selectors.title(AgentState.create({ messages: [Message.user(given)] }))),
  ],
  'selectors.messages': [text((given) => selectors.messages(answered(given)))],
  'selectors.output': [text((given) => selectors.output(answered(given), schema as never))],
  createAgentLoop: [
    text((given) =>
      createAgentLoop(agentOf(scriptedInference([{ text: given }]), { responseFormat: schema })).execute(
        AgentState.withUserMessage(state, given),
      ),
    ),
  ],
  createJournal: [
    json((value) => createJournal(state).commit([], value)),
    text((given) =>
      createJournal(state).commit([], {
        type: 'plugin-change',
        source: 'user',
        pluginId: given,
        version: 1,
        data: { [given]: [given] },
      }),
    ),
    json((value) =>
      createJournal(state).commit([], {
        type: 'message-add',
        source: 'user',
        section: 'messages',
        message: value,
      }),
    ),
  ],
  repeatedCallGuard: [
    json((value) =>
      createAgentLoop(
        agentOf(repeating(value), {
          tools: [tool({ execute: () => value })],
          hooks: [repeatedCallGuard()],
        }),
      ).execute(AgentState.withUserMessage(state, 'a')),
    ),
  ],
  summarizeHistory: [
    text((given) =>
      createAgentLoop(
        agentOf(scriptedInference([{ text: given }]), {
          hooks: [summarizeHistory({ maxTokens: 1, maxBufferTokens: 1, summarize: () => given })],
        }),
      ).execute(
        AgentState.withMessages(state, [Message.user(given), Message.assistant(given), Message.user('a')]),
      ),
    ),
  ],
  readAttachment: [
    text((given) =>
      readAttachment({ type: 'file', mediaType: given, data: given, filename: given } as never, null),
    ),
  ],
  runAgent: [
    text((given) =>
      runAgent(agentOf(scriptedInference([{ text: given }]), { responseFormat: schema }), given),
    ),
  ],
  createAgentSession: [
    text((given) =>
      createAgentSession({
        agent: agentOf(scriptedInference([{ text: given }])),
        sessionId: 'a',
        publish: 'immediate',
      }).sendMessage(given),
    ),
    json((value) =>
      createAgentSession({
        agent: agentOf(scriptedInference([{ toolCalls: [{ name: 't', input: value }] }, { text: 'b' }]), {
          tools: [tool({ execute: () => value })],
        }),
        publish: 'immediate',
      }).sendMessage('a'),
    ),
  ],
  proxyInference: [
    text((given) =>
      heard(
        proxyInference({ url: '/api', fetch: served(`data: ${given}\n\n`) }).stream(request('a'), { signal }),
      ),
    ),
    text((given) =>
      heard(
        proxyInference({ url: '/api', fetch: async () => new Response(given, { status: 400 }) }).stream(
          request('a'),
          { signal },
        ),
      ),
    ),
  ],
  '@vitrine/persist importSession': [
    text((given) => importSession(memorySessions(), given)),
    json((value) => importSession(memorySessions(), value)),
    json((value) =>
      importSession(memorySessions(), { $schema: 'vitrine/messages', version: 1, messages: value }),
    ),
    json((value) =>
      importSession(memorySessions(), {
        $schema: 'vitrine/messages',
        version: 1,
        messages: [{ id: 'a', role: 'user', parts: [{ type: 'data', name: 'a', data: value }] }],
      }),
    ),
  ],
  '@vitrine/messages importMessages': [
    text((given) => importMessages(given)),
    text((given) =>
      importMessages([
        { role: 'user', content: [{ type: 'file', file: { file_data: `data:a/b,${given}` } }] },
      ]),
    ),
    text((given) =>
      importMessages([
        { role: 'assistant', tool_calls: [{ id: given, function: { name: given, arguments: given } }] },
        { role: 'tool', tool_call_id: given, content: given },
      ]),
    ),
    json((value) => importMessages(value)),
    json((value) => importMessages([{ mapping: value }])),
    json((value) =>
      importMessages([{ mapping: { a: { message: { author: { role: 'user' }, content: value } } } }]),
    ),
    json((value) => importMessages([{ chat_messages: value }])),
    json((value) => importMessages([{ $schema: 'vitrine/messages', messages: value }])),
    ...(['ui', 'openai', 'openai-responses', 'anthropic', 'langchain', 'ag-ui', 'gemini'] as const).flatMap(
      (shape) => [
        json((value) => importMessages([value], { shape })),
        json((value) =>
          importMessages([{ role: 'assistant', type: 'ai', content: value, parts: value }], { shape }),
        ),
        json((value) => importMessages([{ role: 'user', content: [value], parts: [value] }], { shape })),
      ],
    ),
  ],
  '@vitrine/messages exportMessages': (
    ['ui', 'openai', 'anthropic', 'ag-ui', 'markdown', 'plain'] as const
  ).map((shape) => text((given) => exportMessages(answered(given), shape))),
  '@vitrine/persist/internal/manage/stored-past readStoredPast': [
    json((value) => readStoredPast(value)),
    json((document) => readStoredPast({ journalId: 'j', document })),
  ],
  '@vitrine/persist/internal/manage/moving-session takeMovingSession': [
    json((value) => takeMovingSession(memorySessions(), value, moved)),
    json((document) =>
      takeMovingSession(memorySessions(), { moveId: 'm', journal: movedJournal, document }, moved),
    ),
  ],
  '@vitrine/persist httpSessions': [
    text((given) =>
      httpSessions({
        url: '/api',
        fetch: async () => new Response(given, { headers: { 'content-type': 'application/json' } }),
      } as never).load('a'),
    ),
  ],
  '@vitrine/ai-sdk fromLanguageModel': [
    text((given) => heard(fromLanguageModel(languageModel(given)).stream(request('a'), { signal }))),
  ],
  '@vitrine/ai-sdk fromAiSdkTool': [
    text((given) =>
      fromAiSdkTool('t', { description: given, inputSchema: { jsonSchema: { title: given } } }),
    ),
    json((value) => fromAiSdkTool('t', { inputSchema: value })),
  ],
  '@vitrine/ai-sdk importUiMessages': [
    text((given) => importUiMessages([{ id: given, role: 'user', parts: [uiPart(given)] }])),
    json((value) => importUiMessages(value as never)),
    json((value) =>
      importUiMessages([{ id: 'a', role: 'assistant', metadata: { vitrine: value }, parts: [value] }]),
    ),
  ],
  '@vitrine/ai-sdk toUiMessages': [text((given) => toUiMessages(answered(given)))],
  '@vitrine/ai-sdk toUiMessageStream': [
    text((given) => {
      const session = createAgentSession({ agent: agentOf(scriptedInference([{ text: given }])) });
      return drained(toUiMessageStream(session, session.sendMessage('Hi')));
    }),
  ],
  '@vitrine/ai-sdk vitrineTransport': [
    text(async (given) => {
      const session = createAgentSession({ agent: agentOf(scriptedInference([{ text: given }])) });
      const message = { id: given, role: 'user', metadata: { given }, parts: [uiPart(given)] };
      const request = { messages: [message], messageId: given, abortSignal: undefined };
      await drained(await vitrineTransport(session).sendMessages({ trigger: 'submit-message', ...request }));
    }),
  ],
  effectLog: [
    text((given) => {
      const done = async () => undefined;
      const records = { read: async () => given, begin: async () => false, end: done, forget: done };
      const about = { executionId: given, path: [given], key: given, name: given, input: given };
      const effect = { ...about, kind: 'tool' as const, effects: 'once' as const, hasBegun: false };
      return effectLog(records).perform(effect, done, new AbortController().signal);
    }),
  ],
  '@vitrine/persist rowSessions': [
    text((given) => {
      const head = { text: given, records: 1 };
      const read = async () => ({ head, rows: new Map([['run.a', given]]), tail: [given] });
      const storage = {
        head: async () => head,
        heads: async () => new Map([['a', head]]),
        read,
        rows: async () => new Map(),
      };
      return rowSessions(storage as never).load('a');
    }),
  ],
  '@vitrine/core/internal/kit/ids isSessionId': [text((given) => isSessionId(given))],
  '@vitrine/persist/internal/rows/head storedHeadTag': [
    text((given) => storedHeadTag({ text: given, records: 0 })),
  ],
  '@vitrine/persist/internal/rows/head-shape storedHeadVersion': [
    text((given) => storedHeadVersion('a', { text: given, records: 0 })),
    text((given) => storedHeadVersion(given, { text: '', records: 0 })),
  ],
  '@vitrine/core/internal/kit/mask-secrets maskSecrets': [text((given) => maskSecrets(given))],
  '@vitrine/inspect/internal/redact isSecretName': [text((given) => isSecretName(given))],
  '@vitrine/inspect redact': [json((value) => redact(value)), text((given) => redact({ [given]: given }))],
  '@vitrine/inspect/internal/redact redactText': [text((given) => redactText(given, given))],
  '@vitrine/inspect importTrace': [text((given) => importTrace(given))],
  '@vitrine/inspect checkCase': [
    text((given) => checkCase(given)),
    text((says) =>
      checkCase(
        JSON.stringify({
          format: 'vitrine-trace',
          version: 1,
          expects: { says },
          journals: [{ format: 1, id: 'a', base: AgentState.toJSON(answered('Hi')), events: [] }],
        }),
      ),
    ),
  ],
  '@vitrine/inspect watchSessions': [
    json((value) => heardFrom({ type: 'journals', name: 'a', journals: value })),
    json((value) => heardFrom({ type: 'events', journalId: 'a', events: value })),
    json((value) =>
      heardFrom({
        type: 'journals',
        name: 'a',
        journals: [{ format: 1, id: 'a', base: value, events: [] }],
      }),
    ),
  ],
  '@vitrine/inspect questionsAbout': [
    json((value) => askAll(value)),
    json((value) => askAll({ step: 1, path: value })),
    text((given) => askAll({ session: given })),
    text((given) => askAll({ step: given, path: given, after: given })),
  ],
  '@vitrine/inspect diagnose': [
    json((value) => diagnose({ format: 1, id: 'a', base: AgentState.toJSON(state), events: value } as never)),
    json((value) => diagnose({ format: 1, id: 'a', base: value, events: [] } as never)),
  ],
  '@vitrine/inspect meets': [
    json((value) => meets(answered('Hi'), value)),
    json((value) => meets(answered('Hi'), { all: [{ calls: value }, { state: value }, { matches: value }] })),
    text((given) => meets(answered('Hi'), { all: [{ says: given, title: given }, { judge: given }] })),
  ],
  '@vitrine/inspect runExperiment': [
    json((value) =>
      runExperiment(
        { format: 1, id: 'a', base: AgentState.toJSON(answered('Hi')), events: value } as never,
        agentOf(scriptedInference([])),
        { expectation: { says: 'a' }, cap: { calls: 8 } },
      ),
    ),
    json((value) =>
      runExperiment(
        { format: 1, id: 'a', base: AgentState.toJSON(answered('Hi')), events: [] },
        agentOf(scriptedInference([])),
        { expectation: value, variants: [{ name: 'x', edit: value }] },
      ),
    ),
  ],
  '@vitrine/inspect diff': [json((value) => diff(state, { ...state, plugins: value } as never))],
  '@vitrine/inspect replay': [
    json((value) =>
      replay(
        { format: 1, id: 'a', base: AgentState.toJSON(state), events: value } as never,
        agentOf(scriptedInference([])),
      ),
    ),
    json((value) =>
      replay(
        {
          format: 1,
          id: 'a',
          base: AgentState.toJSON(state),
          events: [
            {
              type: 'error-record',
              seq: 1,
              at: 1,
              path: [],
              error: { name: 'E', message: 'm', cause: value },
            },
          ],
        } as never,
        agentOf(scriptedInference([])),
      ),
    ),
    json((value) =>
      replay({ format: 1, id: 'a', base: value, events: [] } as never, agentOf(scriptedInference([]))),
    ),
  ],
  '@vitrine/ag-ui aguiAgent': [
    text(async (given) => {
      const events = [
        { type: 'TEXT_MESSAGE_CONTENT', messageId: given, delta: given },
        { type: 'TOOL_CALL_START', toolCallId: given, toolCallName: given },
        { type: 'TOOL_CALL_ARGS', toolCallId: given, delta: given },
        { type: 'TOOL_CALL_RESULT', toolCallId: given, content: given },
        { type: given },
        { type: 'RUN_FINISHED' },
      ];
      const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
      const agent = aguiAgent({ url: 'http://localhost', fetch: async () => new Response(stream) });
      await createAgentSession({ agent }).sendMessage('Hi');
    }),
    text(async (given) => {
      const agent = aguiAgent({ url: 'http://localhost', fetch: async () => new Response(given) });
      await createAgentSession({ agent }).sendMessage('Hi');
    }),
  ],
  '@vitrine/langgraph langGraphAgent': [
    text(async (given) => {
      const at = (method: string, data: object) => ({ method, params: { namespace: [], data } });
      const events = [
        at('messages', { event: 'message-start', id: given }),
        at('messages', {
          event: 'content-block-delta',
          index: 0,
          delta: { type: 'text-delta', text: given },
        }),
        at('tools', { event: 'tool-started', tool_call_id: given, tool_name: given, input: given }),
        at('tools', { event: 'tool-finished', tool_call_id: given, output: given }),
        at('input.requested', { interrupt_id: given, payload: given }),
        at(given, {}),
        at('lifecycle', { event: 'interrupted' }),
      ];
      const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
      const fetch = async (url: unknown): Promise<Response> =>
        String(url).endsWith('/events') ? new Response(stream) : Response.json({ type: 'success' });
      await createAgentSession({ agent: langGraphAgent({ url: 'http://localhost', fetch }) }).sendMessage(
        'Hi',
      );
    }),
    text(async (given) => {
      const agent = langGraphAgent({ url: 'http://localhost', fetch: async () => new Response(given) });
      await createAgentSession({ agent }).sendMessage('Hi');
    }),
  ],
  '@vitrine/ag-ui toAgUi': [
    text(async (given) => {
      const session = createAgentSession({ agent: agentOf(scriptedInference([{ text: given }])) });
      const messages = [{ id: given, role: 'user', content: given }];
      const body = JSON.stringify({ threadId: given, runId: given, messages, state: { given } });
      await drained((await toAgUi(session)('http://localhost', { method: 'POST', body })).body as never);
    }),
    text((given) => {
      const session = createAgentSession({ agent: agentOf(scriptedInference([])) });
      return toAgUi(session)('http://localhost', { method: 'POST', body: given });
    }),
  ],
  '@vitrine/ag-ui toAgUiMessages': [text((given) => toAgUiMessages(answered(given)))],
  '@vitrine/ag-ui importAgUiMessages': [
    text((given) =>
      importAgUiMessages([
        {
          id: 'a',
          role: 'assistant',
          content: given,
          toolCalls: [{ id: 'c', function: { name: 't', arguments: given } }],
        },
        { id: 'b', role: 'tool', toolCallId: 'c', content: given },
      ]),
    ),
    json((value) => importAgUiMessages(value)),
  ],
  '@vitrine/inspect testOfJournal': [
    text((given) =>
      testOfJournal({
        name: given,
        request: given,
        journal: { format: 1, id: 'a', base: AgentState.toJSON(answered(given)), events: [] },
      }),
    ),
    json((value) =>
      testOfJournal({ name: 'a', journal: { format: 1, id: 'a', base: value, events: [] } } as never),
    ),
  ],
  '@vitrine/proxy/offline offlineModel': [
    text((given) => heard(offlineModel({ paceMs: 0 }).client.stream(request(given), { signal }))),
  ],
  '@vitrine/proxy createInferenceProxy': [
    text((given) =>
      createInferenceProxy({ models: [offlineModel({ paceMs: 0 })], log: false } as never).fetch(
        post('/v1/inference', given),
      ),
    ),
  ],
  '@vitrine/proxy createSessionRoutes': [
    text((given) =>
      createSessionRoutes({
        store: memorySessions(),
        log: false,
        authorize: () => ({ id: 'p' }),
      } as never).fetch(post('/v1/sessions/a/head', given)),
    ),
  ],
  '@vitrine/server createAgentServer': [
    text((given) => agentServerOf().fetch(post('/agents/clerk/sessions/a/commands', given))),
  ],
  '@vitrine/persist/internal/link/link-json linkFromJSON': [
    json((value) => linkFromJSON(value as never)),
    json((value) =>
      linkFromJSON({
        format: 'vitrine-link',
        version: 3,
        message: { type: 'document', document: { ...linkDocument, state: value } },
      } as never),
    ),
    json((value) =>
      linkFromJSON({
        format: 'vitrine-link',
        version: 3,
        message: {
          type: 'document',
          document: { ...linkDocument, others: [value], branches: [value], checkpoints: [value] },
        },
      } as never),
    ),
  ],
  '@vitrine/persist/internal/link/link-json positionFromText': [
    text(positionFromText),
    text((given) => positionFromText(`${given}:${given}@${given}.${given}`)),
  ],
  '@vitrine/mcp mcpTools': [
    json((tools) => toolsOfServer(tools)),
    json((inputSchema) => toolsOfServer([{ name: 'a', inputSchema }])),
    text((name) => toolsOfServer([{ name, description: name, inputSchema: {} }])),
  ],
  '@vitrine/mcp mcpViews': [
    json((_meta) => mcpViews(clientOf([{ name: 'a', inputSchema: {}, _meta }]))),
    json((ui) => mcpViews(clientOf([{ name: 'a', inputSchema: {}, _meta: { ui } }]))),
    text((uri) =>
      mcpViews(clientOf([{ name: uri, inputSchema: {}, _meta: { ui: { resourceUri: `ui://${uri}` } } }])),
    ),
  ],
  '@vitrine/mcp/internal/views isVisibleTo': [
    json((_meta) => isVisibleTo({ name: 'a', inputSchema: {}, _meta } as never, 'app')),
    json((visibility) => isVisibleTo({ name: 'a', _meta: { ui: { visibility } } } as never, 'app')),
  ],
  '@vitrine/proxy/jose bearerAuth': [
    text((given) => bearer(withToken(given))),
    text((given) => bearer(withToken(`${given}.${given}.${given}`))),
  ],
  '@vitrine/react attachmentUrl': [
    text((given) =>
      attachmentUrl(null, { type: 'file', mediaType: given, data: given, url: given } as never),
    ),
  ],
  '@vitrine/react/components visibleParts': [text((given) => visibleParts(given))],
  '@vitrine/react/components visibleText': [text((given) => visibleText(given))],
};
