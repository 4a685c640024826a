import * as z from 'zod';
import type { AgentDefinition, AgentInit } from '../../agent/agent-definition.ts';
import { defineAgent } from '../../agent/define-agent.ts';
import { defineHook, type Hook, type HookContext } from '../../agent/hook.ts';
import { type Plugin } from '../../agent/plugin/plugin.ts';
import { answerTo, ToolQuestion } from '../../agent/tool-question.ts';
import { defineTool, type Tool } from '../../agent/tool.ts';
import { AgentStopError } from '../../graph/agent-stop-error.ts';
import { append } from '../../graph/message-store.ts';
import { user } from '../../graph/message.ts';
import { userRequested } from '../../graph/stop-signal.ts';
import type { AgentState as State } from '../../graph/types.ts';
import * as AgentState from '../agent-state.ts';
import { goldenModel, type Note } from './golden-model.fixture.ts';
import type { GoldenPlan } from './golden-plan.fixture.ts';
import type { VirtualEnv } from './virtual-env.fixture.ts';
import { definePlugin } from '../../features/define-plugin.ts';

/** Creates the agent of a plan. Its hooks, tools and models tell `note` what they saw. */
export function goldenAgent(plan: GoldenPlan, env: VirtualEnv, note: Note): AgentDefinition {
  const counter = counterOf(plan, note);
  const hooks = plan.hooks.map((planned, index) => hookOf(planned, index, env, note));
  const plugins = plan.plugin === null ? [] : [counter];
  const shared = {
    tools: staggerTools(toolsOf(counter, env, note), plan, env),
    plugins,
    retry: {
      maxAttempts: plan.attempts,
      baseDelayMs: 10,
      maxDelayMs: 50,
      maxOutputRetries: plan.maxOutputRetries,
    },
    toolConcurrency: plan.concurrency,
    maxToolCalls: plan.maxToolCalls,
    maxResultBytes: plan.maxResultBytes,
    toolTrace: plan.toolTrace,
  } satisfies Partial<AgentInit>;
  const kid = defineAgent({
    ...shared,
    name: 'kid',
    systemPrompt: 'A kid.',
    inference: goldenModel('kid', plan.kidScript, plan, env, note),
    hooks: hooks.slice(0, 1),
    budget: plan.kidBudget,
  });
  const settings = plan.maxOutputTokens === null ? {} : { maxOutputTokens: plan.maxOutputTokens };
  const prices = plan.price === 'own' ? { prices: { m: { input: 3, output: 15 } } } : {};
  return defineAgent({
    ...shared,
    name: 'agent',
    systemPrompt: plan.compiles ? '' : 'Be brief.',
    inference: goldenModel('agent', plan.script, plan, env, note),
    hooks,
    subagents: [plan.lendsTools ? { agent: kid, inheritTools: { allow: ['ok'] } } : kid],
    budget: plan.budget,
    sessionBudget: { tokens: plan.sessionTokens },
    subagentPolicy: { maxTotalSteps: plan.maxTotalSteps },
    llmConfig: { model: 'm', settings, ...prices },
    ...(plan.compiles ? { compileMessages: (state: State) => AgentState.messages(state) } : {}),
    ...(plan.hasFormat ? { responseFormat: z.object({ n: z.number() }) } : {}),
  } as AgentInit);
}

type Counter = Plugin<number>;

function counterOf(plan: GoldenPlan, note: Note): Counter {
  return definePlugin({
    id: 'counter',
    state: z.number(),
    initial: 0,
    persist: plan.concurrency === 1 ? 'session' : 'execution',
    hooks: [
      defineHook({
        name: 'counted',
        on: 'after-step',
        run: (state) => void note('counted', AgentState.status(state)),
      }),
    ],
    tools: [
      defineTool({
        name: 'own',
        description: 'Reads its plugin',
        input: z.object({}),
        execute: (_input, ctx) => ctx.own<number>().get(),
      }),
    ],
    prepare(ctx) {
      if (plan.plugin === 'throws' && ctx.stepNumber === 2) throw new Error('prepare failed');
      if (plan.plugin === 'wrong' && ctx.stepNumber === 2) return { instructions: 7 } as never;
      ctx.update((count) => (count ?? 0) + 1);
      return {
        instructions: `Step ${ctx.stepNumber}`,
        context: [{ name: 'count', content: String(ctx.get()) }],
        tools: [lazyTool(note)],
      };
    },
  }) as Counter;
}

const input = z.object({ edited: z.optional(z.boolean()), n: z.optional(z.number()) });
const base = { description: 'A tool', input } as const;
const idempotent = { ...base, effects: 'idempotent' } as const;

function lazyTool(note: Note): Tool {
  return defineTool({
    ...idempotent,
    name: 'lazy',
    execute: (_input, { toolCallId }) => (note('effect of lazy', toolCallId), 'lazy'),
  }) as unknown as Tool;
}

function toolsOf(counter: Counter, env: VirtualEnv, note: Note): readonly Tool[] {
  const did = <Value>(name: string, id: string, value: Value): Value => (
    note(`effect of ${name}`, id),
    value
  );
  return [
    defineTool({ ...idempotent, name: 'ok', execute: (given, ctx) => did('ok', ctx.toolCallId, given) }),
    defineTool({
      ...base,
      name: 'pay',
      needsApproval: true,
      execute: (_i, ctx) => did('pay', ctx.toolCallId, 'paid'),
    }),
    defineTool({
      ...base,
      name: 'ruled',
      needsApproval({ n, edited }) {
        if (n === 3) throw new Error('rule failed');
        return edited === true ? { deny: 'edited' } : { ask: 'really?', together: true };
      },
      execute: (_i, ctx) => did('ruled', ctx.toolCallId, 'ruled'),
    }),
    defineTool({
      ...base,
      name: 'slow',
      timeoutMs: 25,
      async execute({ n }, ctx) {
        await env.wait(5);
        ctx.report({ half: true });
        ctx.update((state) => AgentState.withMetadata(state, { [`slow:${ctx.toolCallId}`]: true }));
        await env.wait(n === 3 ? 50 : 5);
        return did('slow', ctx.toolCallId, { slow: true });
      },
    }),
    defineTool({
      ...base,
      name: 'bad',
      errorMessage: (thrown) => `Sorry: ${String((thrown as Error).message)}`,
      execute: () => Promise.reject(new Error('bad')),
    }),
    defineTool({
      ...idempotent,
      name: 'count',
      async execute({ n }, ctx) {
        await env.wait(3);
        ctx.plugin(counter).update((count) => (count ?? 0) + 1);
        if (n === 3) ctx.update(() => 7 as never);
        return null;
      },
    }),
    defineTool({ ...base, name: 'form', output: z.string() }),
    defineTool({
      ...idempotent,
      name: 'big',
      maxResultBytes: 400,
      execute: ({ n }) => (n === 3 ? Promise.reject(new Error('e'.repeat(900))) : 'z'.repeat(900)),
    }),
    defineTool({
      ...base,
      name: 'asks',
      execute(_input, ctx) {
        const answer = answerTo(ctx.state, ctx.toolCallId);
        if (answer !== undefined) return did('asks', ctx.toolCallId, { answer });
        throw new ToolQuestion('Which?', { type: 'object', properties: { which: { type: 'string' } } });
      },
    }),
    defineTool({
      ...base,
      name: 'stops',
      execute({ n }) {
        if (n === 3) throw new AgentStopError(userRequested({ message: 'the tool stops' }, env));
        return 'on';
      },
    }),
    defineTool({
      ...base,
      name: 'late',
      async execute(_input, ctx) {
        await env.wait(120);
        ctx.report('late');
        return did('late', ctx.toolCallId, 'late');
      },
    }),
    defineTool({
      ...idempotent,
      name: 'typed',
      input: z.object({ n: z.number().default(5) }),
      output: z.object({ n: z.number().max(4) }),
      execute: ({ n }) => ({ n }),
    }),
  ] as unknown as readonly Tool[];
}

/** The tools, begun at different times when they run side by side. */
function staggerTools(tools: readonly Tool[], { concurrency }: GoldenPlan, env: VirtualEnv): readonly Tool[] {
  if (concurrency === 1) return tools;
  return tools.map((tool) => {
    const { execute } = tool;
    if (execute === null) return tool;
    return {
      ...tool,
      async execute(given: never, ctx: never) {
        await env.wait((Number((ctx as { toolCallId: string }).toolCallId.slice(-12)) % 97) / 100);
        return execute(given, ctx);
      },
    } as Tool;
  });
}

type PlannedHook = GoldenPlan['hooks'][number];

function hookOf(
  { on, act, waitMs, at, keepsSent }: PlannedHook,
  index: number,
  env: VirtualEnv,
  note: Note,
): Hook {
  let calls = 0;
  return defineHook({
    name: `hook-${index}`,
    on,
    keepsSent,
    priority: index % 2,
    async run(state, ctx) {
      note(`hook ${index}`, { on, step: ctx.stepNumber, fields: ctx.fields });
      if (waitMs > 0) await env.wait(waitMs);
      const isNow = calls++ % 4 === at || act === 'metadata';
      return isNow ? acts[act](state, ctx, { index, calls, on, env }) : undefined;
    },
  });
}

type Act = (
  state: State,
  ctx: HookContext,
  hook: { readonly index: number; readonly calls: number; readonly on: string; readonly env: VirtualEnv },
) => unknown;

/** The deeds of hooks. What does not fit a hook point does nothing there. */
const acts: Readonly<Record<PlannedHook['act'], (...args: Parameters<Act>) => never>> = {
  metadata: (state, _ctx, { index, on, calls }) =>
    AgentState.withMetadata(state, { [`${index}:${on}`]: calls }),
  message(state, { env }) {
    if (AgentState.messages(state).length > 12) return state;
    return AgentState.withMessageStore(
      state,
      append(state.context.store, [user('noted', {}, env)], 'buffer'),
      env,
    );
  },
  rewrite: (state, { env }) => withLast(state, 'other', env),
  remove: (state, { env }) => withLast(state, null, env),
  nothing: (state) => state,
  request: (_state, { fields: { request }, replace }) =>
    request && replace('request', { ...request, model: 'other', settings: { maxOutputTokens: 40 } }),
  prompt: (_state, { fields: { request }, replace, env }) =>
    request &&
    replace('request', { ...request, messages: [user('in place', {}, env), ...request.messages.slice(1)] }),
  response: (_state, { fields: { response }, replace }) =>
    response &&
    replace('response', {
      ...response,
      finishReason: 'length',
      usage: { ...response.usage, outputTokens: 77 },
    }),
  call: (_state, { fields: { toolCall }, replace }) =>
    toolCall && replace('toolCall', { ...toolCall, name: 'ok', input: { n: 9 } }),
  block: (_state, { fields: { toolCall }, block }) => toolCall && block('not this'),
  close: (_state, { fields: { toolCall }, block }) => toolCall && block('none', { stopBatch: true }),
  execution: (_state, { fields: { execution }, replace }) =>
    execution && replace('execution', { ...execution, result: 'replaced', status: 'completed', error: null }),
  throw(_state, _ctx, { index }) {
    throw new Error(`hook ${index} failed`);
  },
  stop(_state, _ctx, { env }) {
    throw new AgentStopError(userRequested({ message: 'a hook stops' }, env));
  },
  async model(state, ctx, { index, on, env }) {
    const said = await ctx.callModel({
      input: { ask: on },
      call: async () => (await env.wait(4), { said: 'yes' }),
      usageOf: () => ({ inputTokens: 5, outputTokens: 3 }),
      maxOutputTokens: 20,
    });
    return AgentState.withMetadata(state, { [`said:${index}`]: said });
  },
  wrong(_state, { replace }) {
    replace('execution', 7 as never);
    return 8;
  },
} satisfies Record<PlannedHook['act'], Act> as never;

/** A state whose last message of the model or a tool has another text, or is gone. */
function withLast(state: State, text: string | null, env: HookContext['env']): State {
  const messages = AgentState.messages(state);
  const place = messages.findLastIndex(({ role }) => role !== 'user');
  const last = messages[place];
  if (last === undefined) return state;
  if (text === null) return AgentState.withMessages(state, messages.toSpliced(place, 1), env);
  const parts = last.parts.map((part) => (part.type === 'text' ? { ...part, text } : part));
  return AgentState.withMessages(state, messages.with(place, { ...last, parts }), env);
}
