import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { SemanticConventions } from '@arizeai/openinference-semantic-conventions';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { secretShapes } from '../secrets/secret-shapes.ts';
import { defineHook } from '../../packages/core/src/agent/hook.ts';
import * as AgentState from '../../packages/core/src/run/agent-state.ts';
import { createAgentSession } from '../../packages/core/src/session/create-agent-session.ts';
import type { AgentSession } from '../../packages/core/src/session/agent-session.ts';
import { askingTool } from '../../packages/testing/src/session.fixture.ts';
import { fakeTool } from '../../packages/testing/src/fake-tool.ts';
import { scriptedAgent } from '../../packages/testing/src/fixtures.ts';
import type { ScriptedEntry } from '../../packages/testing/src/scripted-inference.ts';
import type { AgentInit } from '../../packages/core/src/agent/agent-definition.ts';
import { msOf, testTracer } from './spans.fixture.ts';
import {
  traceSession,
  traceSessions,
  type TraceSessionOptions,
} from '../../bridges/otel/src/trace-session.ts';

/** A session whose model follows a script, with its spans. */
function traced(
  script: readonly ScriptedEntry[],
  init: Partial<AgentInit> = {},
  options: TraceSessionOptions = {},
): { session: AgentSession; spans: () => readonly ReadableSpan[]; named: (name: string) => ReadableSpan[] } {
  const agent = scriptedAgent(script, {
    llmConfig: { model: 'google:gemini-3', settings: { temperature: 0.5, reasoning: 'low' } },
    retry: { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 1 },
    ...init,
  });
  const session = createAgentSession({ agent, sessionId: 'session-1' });
  const { tracer, spans } = testTracer();
  traceSession(session, tracer, options);
  const named = (name: string): ReadableSpan[] => spans().filter((span) => span.name === name);
  return { session, spans, named };
}

/** The spans as a tree of names, in the order of their starts. */
function treeOf(spans: readonly ReadableSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? '');
    return parent === undefined ? span.name : `${pathOf(parent)} > ${span.name}`;
  };
  return spans.map(pathOf).toSorted();
}

/** An answer that streams for minutes, so that a test stops it whenever it comes to that. */
const endless: ScriptedEntry = { text: 'one '.repeat(5000), chunks: 5000, delayMs: 20 };

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, reasoningTokens: 2 };

it('a run with a tool and a subagent is a tree of agents, steps, model calls and tools', async () => {
  const kid = scriptedAgent([{ text: 'Four.', usage }], { name: 'kid' });
  const { session, spans, named } = traced(
    [
      { toolCalls: [{ name: 'search', input: { q: 'canary' } }], usage },
      { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'add' } }], usage },
      { text: 'It is canary.', usage },
    ],
    { tools: [fakeTool('search', () => 'canary')], subagents: [kid] },
  );
  await session.sendMessage('canary');
  const root = 'invoke_agent agent';
  expect(treeOf(spans())).toEqual(
    [
      root,
      `${root} > step 1`,
      `${root} > step 1 > chat gemini-3`,
      `${root} > step 1 > execute_tool search`,
      `${root} > step 2`,
      `${root} > step 2 > chat gemini-3`,
      `${root} > step 2 > execute_tool delegate`,
      `${root} > step 2 > execute_tool delegate > invoke_agent kid`,
      `${root} > step 2 > execute_tool delegate > invoke_agent kid > step 1`,
      `${root} > step 2 > execute_tool delegate > invoke_agent kid > step 1 > chat gemini-3`,
      `${root} > step 3`,
      `${root} > step 3 > chat gemini-3`,
    ].toSorted(),
  );
  const [chat] = named('chat gemini-3');
  expect(chat).toMatchObject({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
  expect(chat?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'gemini-3',
    'gen_ai.request.stream': true,
    'gen_ai.request.reasoning.level': 'low',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.conversation.id': 'session-1',
    'gen_ai.response.id': 'response_1',
    'gen_ai.response.model': 'gemini-3',
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.response.time_to_first_chunk': expect.any(Number) as number,
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.cache_write.input_tokens': 0,
    'gen_ai.usage.reasoning.output_tokens': 2,
    'vitrine.attempt': 1,
  });
  expect(named('execute_tool search')[0]?.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.name': 'search',
    'gen_ai.tool.call.id': expect.any(String) as string,
    'vitrine.outcome': 'completed',
  });
  expect(named('execute_tool delegate')[0]?.attributes['vitrine.subagent']).toBe('kid');
  expect(named(root)[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'agent',
    'gen_ai.conversation.id': 'session-1',
    'gen_ai.usage.input_tokens': 40,
    'vitrine.outcome': 'completed',
    'vitrine.stop_reason': 'completed',
  });
  const told = spans().map(({ attributes, events, status }) => [attributes, events, status]);
  expect(JSON.stringify(told)).not.toContain('canary');
});

it('a run that waits for approval ends its spans, and goes on in new ones with a link', async () => {
  const { tool } = askingTool('pay');
  const { session, spans, named } = traced([{ toolCalls: [{ name: 'pay', input: {} }] }, { text: 'Paid.' }], {
    tools: [tool],
  });
  void session.sendMessage('Pay.');
  await expect.poll(() => session.store.getState().status).toBe('awaiting-input');
  const [before] = named('invoke_agent agent');
  expect(before?.attributes['vitrine.outcome']).toBe('paused');
  expect(named('execute_tool pay')).toEqual([]);
  const asked = named('step 1')[0]?.events.map(({ name, attributes }) => [name, attributes]);
  expect(asked).toEqual([
    ['vitrine.approval_request', expect.objectContaining({ 'gen_ai.tool.name': 'pay' })],
  ]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const [call] = session.store.getState().state.execution?.currentStep?.toolExecutions ?? [];
  void session.approve(call?.id ?? '');
  await expect.poll(() => named('invoke_agent agent')).toHaveLength(2);
  const [, after] = named('invoke_agent agent');
  expect(after?.links.map(({ context }) => context.spanId)).toEqual([before?.spanContext().spanId]);
  expect(after?.attributes).toMatchObject({
    'vitrine.is_continued': true,
    'vitrine.execution_id': before?.attributes['vitrine.execution_id'],
  });
  expect(named('execute_tool pay')[0]?.attributes['vitrine.decision']).toBe('approved');
  // Nobody's patience is in the time of a span.
  expect(msOf(after!.startTime) - msOf(before!.endTime)).toBeGreaterThanOrEqual(40);
  expect(new Set(spans().map((span) => span.spanContext().spanId)).size).toBe(spans().length);
});

it('a failed attempt and a failed run have the code of the error, and no message', async () => {
  const busy = { code: 'upstream-timeout', message: 'canary', retryable: true };
  const { session, spans, named } = traced([{ error: busy }]);
  await session.sendMessage('Hello');
  const attempts = named('chat gemini-3');
  expect(attempts.map(({ attributes, status }) => [attributes['vitrine.attempt'], status.code])).toEqual([
    [1, SpanStatusCode.ERROR],
    [2, SpanStatusCode.ERROR],
  ]);
  expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual([
    'upstream-timeout',
    'upstream-timeout',
  ]);
  expect(named('step 1')[0]?.events.map(({ name }) => name)).toContain('vitrine.retry');
  expect(named('invoke_agent agent')[0]).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: {
      'vitrine.outcome': 'stopped',
      'vitrine.stop_reason': 'retry-limit-reached',
      'error.type': 'upstream-timeout',
    },
  });
  expect(JSON.stringify(spans().map(({ attributes, events }) => [attributes, events]))).not.toContain(
    'canary',
  );
});

it('the model call of a hook is a span too, so that no token is missing', async () => {
  const judge = defineHook({
    name: 'judge',
    on: 'before-step',
    async run(state, ctx) {
      const usageOf = (): object => ({ inputTokens: 7, outputTokens: 3 });
      await ctx.callModel({ input: 'Is it fine?', call: () => 'fine', usageOf });
      return state;
    },
  });
  const { session, spans, named } = traced([{ text: 'Done.', usage }], { hooks: [judge] });
  await session.sendMessage('Hello');
  expect(named('chat')[0]?.attributes).toMatchObject({
    'vitrine.hook': 'judge',
    'vitrine.outcome': 'hook',
    'gen_ai.usage.input_tokens': 7,
  });
  const tokens = spans().map(({ name, attributes }) =>
    name.startsWith('chat') ? Number(attributes['gen_ai.usage.input_tokens']) : 0,
  );
  expect(tokens.reduce((sum, count) => sum + count)).toBe(
    AgentState.usage(session.store.getState().state).inputTokens,
  );
});

it('a stopped run ends its spans without an error', async () => {
  const { session, named } = traced([endless]);
  const turn = session.sendMessage('Count.');
  await expect.poll(() => session.store.getState().status).toBe('streaming');
  await session.stop();
  await turn;
  expect(named('chat gemini-3')[0]).toMatchObject({
    status: { code: SpanStatusCode.UNSET },
    attributes: { 'vitrine.outcome': 'aborted' },
  });
  expect(named('invoke_agent agent')[0]?.attributes).toMatchObject({
    'vitrine.outcome': 'stopped',
    'vitrine.stop_reason': 'user-requested',
  });
});

it('spans with content have instructions, messages, arguments and results, and no secret', async () => {
  const key = secretShapes['an OpenAI key']?.('aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9') ?? '';
  const { session, spans, named } = traced(
    [{ toolCalls: [{ name: 'search', input: { q: key, apiKey: 'hunter2' } }] }, { text: `Use ${key}.` }],
    { tools: [fakeTool('search', () => ({ found: key }))], systemPrompt: `Be brief. ${key}` },
    { content: true, openInference: true },
  );
  await session.sendMessage(`My key: ${key}`);
  const [first, second] = named('chat gemini-3');
  expect(JSON.parse(String(first?.attributes['gen_ai.system_instructions']))).toEqual([
    { type: 'text', content: expect.stringContaining('Be brief.') as string },
  ]);
  expect(JSON.parse(String(second?.attributes['gen_ai.input.messages']))).toMatchObject([
    { role: 'user', parts: [{ type: 'text' }] },
    { role: 'assistant', parts: [{ type: 'tool_call', name: 'search' }] },
    { role: 'tool', parts: [{ type: 'tool_call_response' }] },
  ]);
  const tool = named('execute_tool search')[0]?.attributes;
  expect(tool?.['gen_ai.tool.call.arguments']).toContain('"q"');
  expect(tool?.['output.value']).toContain('found');
  const all = JSON.stringify(spans().map(({ attributes, events }) => [attributes, events]));
  expect(all).not.toContain('aB3dE5fG7hI9');
  expect(all).not.toContain('hunter2');
});

it('every attribute of OpenInference is one of its package', async () => {
  const { session, spans } = traced(
    [{ toolCalls: [{ name: 'search', input: {} }], usage: { ...usage, cost: 1 } }, { text: 'Done.' }],
    { tools: [fakeTool('search', () => 'found')] },
    { content: true, openInference: true },
  );
  await session.sendMessage('Hello');
  const used = new Set(spans().flatMap(({ attributes }) => Object.keys(attributes)));
  const own = [...used].filter((name) => !/^(?:gen_ai|vitrine)\./.test(name));
  const known: readonly string[] = Object.values(SemanticConventions);
  expect(own.filter((name) => !known.includes(name) && name !== 'openinference.span.kind')).toEqual([]);
  expect(own).toEqual(
    expect.arrayContaining(['session.id', 'llm.model_name', 'llm.token_count.total', 'tool.name']),
  );
  expect(
    spans()
      .map(({ attributes }) => attributes['openinference.span.kind'])
      .toSorted(),
  ).toEqual(['AGENT', 'CHAIN', 'CHAIN', 'LLM', 'LLM', 'TOOL']);
});

it('the end of tracing ends the open spans, and no later span begins', async () => {
  const agent = scriptedAgent([endless]);
  const session = createAgentSession({ agent });
  const { tracer, begun, ended } = testTracer();
  const end = traceSessions(tracer);
  const turn = session.sendMessage('Count.');
  await expect.poll(() => session.store.getState().status).toBe('streaming');
  end();
  expect(ended.toSorted()).toEqual(begun.toSorted());
  expect(ended).toHaveLength(3);
  await session.stop();
  await turn;
  expect(begun).toHaveLength(3);
});

it('the spans of a session that is closed in mid run end with it', async () => {
  const { tool } = askingTool('pay');
  const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: {} }] }], { tools: [tool] });
  const session = createAgentSession({ agent });
  const { tracer, begun, ended } = testTracer();
  const end = traceSessions(tracer);
  void session.sendMessage('Pay.');
  await expect.poll(() => session.store.getState().status).toBe('awaiting-input');
  await session.dispose();
  expect(ended.toSorted()).toEqual(begun.toSorted());
  end();
});

it('feedback of a person is a span of no length with a link to its run, and has its text only with content', async () => {
  for (const content of [false, true]) {
    const { session, named } = traced([{ text: 'Yes.', usage }], {}, { content });
    await session.sendMessage('One');
    const rating = { feedback: 'down', feedback_text: 'Too short.' };
    await session.setMessages((all) =>
      all.map((one) =>
        one.role === 'assistant' ? { ...one, metadata: { ...one.metadata, ...rating } } : one,
      ),
    );
    const [run] = named('invoke_agent agent');
    const [rated, ...others] = named('feedback');
    expect(others).toEqual([]);
    expect(rated?.links[0]?.context).toEqual(run?.spanContext());
    expect(rated?.attributes).toEqual({
      'gen_ai.conversation.id': 'session-1',
      'gen_ai.evaluation.name': 'feedback',
      'gen_ai.evaluation.score.label': 'down',
      'gen_ai.evaluation.score.value': 0,
      'vitrine.message_id': AgentState.messages(session.store.getState().state)[1]?.id,
      ...(content && { 'gen_ai.evaluation.explanation': 'Too short.' }),
    });
    await session.dispose();
  }
});
