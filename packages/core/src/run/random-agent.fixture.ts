import * as z from 'zod';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import { defineHook } from '../agent/hook.ts';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import { withMetadata } from '../graph/agent-state/transitions.ts';
import { append } from '../graph/message-store.ts';
import { user } from '../graph/message.ts';
import type { AgentState as State } from '../graph/types.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { Plan } from './random-plan.fixture.ts';
import { definePlugin } from '../features/define-plugin.ts';

/** Waits for the given number of microtask turns. */
export async function ticks(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await Promise.resolve();
}

/** Number of effects of the `once` tools, by call. */
export type Effects = Map<string, number>;

const counter = definePlugin({ id: 'counter', state: z.number(), initial: 0 });

/** Rewrites or removes the last message of the model. */
function withLastChanged(state: State, act: 'rewrite' | 'remove'): State {
  const messages = AgentState.messages(state);
  const at = messages.findLastIndex(({ role }) => role !== 'user');
  const last = messages[at];
  if (last === undefined) return state;
  const parts = last.parts.map((part) => (part.type === 'text' ? { ...part, text: 'other' } : part));
  return AgentState.withMessages(
    state,
    act === 'remove' ? messages.toSpliced(at, 1) : messages.with(at, { ...last, parts }),
  );
}

/** Creates an agent that follows a plan; `effects` counts the effects of its tools. */
export function agentOf(planned: Plan, effects: Effects): AgentDefinition {
  const effect = (id: string): string => {
    effects.set(id, (effects.get(id) ?? 0) + 1);
    return 'done';
  };
  const input = z.object({ edited: z.optional(z.boolean()) });
  const tools = [
    defineTool({ name: 'ok', description: '', input, effects: 'idempotent', execute: () => 'ok' }),
    defineTool({
      name: 'pay',
      description: '',
      input,
      needsApproval: true,
      execute: (_i, ctx) => effect(ctx.toolCallId),
    }),
    defineTool({
      name: 'slow',
      description: '',
      input,
      async execute(_i, ctx) {
        await ticks(15);
        ctx.report({ half: true });
        ctx.update((state) => withMetadata(state, { [`slow:${ctx.toolCallId}`]: true }));
        await ticks(15);
        return effect(ctx.toolCallId);
      },
    }),
    defineTool({ name: 'bad', description: '', input, execute: () => Promise.reject(new Error('bad')) }),
    defineTool({
      name: 'count',
      description: '',
      input,
      effects: 'idempotent',
      async execute(_i, ctx) {
        await ticks(3);
        ctx.plugin(counter).update((count) => (count ?? 0) + 1);
      },
    }),
    defineTool({ name: 'form', description: '', input, output: z.string() }),
  ];
  const hooks = planned.hooks.map(({ point, ticks: wait, act }, index) =>
    defineHook({
      name: `hook-${index}`,
      on: point,
      async run(state, ctx) {
        await ticks(wait);
        if (act === 'metadata') return AgentState.withMetadata(state, { [`${index}:${point}`]: wait });
        if (act === 'replace' && ctx.fields.execution)
          ctx.replace('execution', { ...ctx.fields.execution, result: 'replaced' });
        if (act === 'rewrite' || act === 'remove') return withLastChanged(state, act);
        if (act !== 'message' || AgentState.messages(state).length > 12) return state;
        const store = append(state.context.store, [user('noted', {}, ctx.env)], 'buffer');
        return AgentState.withMessageStore(state, store, ctx.env);
      },
    }),
  );
  const kid = scriptedAgent(planned.kidScript, {
    name: 'kid',
    tools,
    plugins: [counter],
    budget: { maxSteps: 3 },
    toolConcurrency: planned.concurrency,
  });
  return scriptedAgent(planned.script, {
    tools,
    hooks,
    plugins: [counter],
    subagents: [kid],
    toolConcurrency: planned.concurrency,
    budget: { maxSteps: 4 },
  });
}
