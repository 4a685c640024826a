import fc from 'fast-check';
import * as z from 'zod';
import { defineHook } from '../agent/hook.ts';
import { definePlugin } from '../agent/plugin/plugin.ts';
import { defineTool } from '../agent/tool.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import { withMetadata } from '../graph/agent-state/context-transitions.ts';
import { append } from '../graph/message-store.ts';
import { user } from '../graph/message.ts';
import type { Env } from '../graph/env.ts';
import type { AgentState as State } from '../graph/types.ts';
import * as AgentState from '../faces/agent-state.ts';
import { scriptedAgent } from '../testing/fixtures.ts';
import type { ScriptedStep } from '../testing/scripted-inference.ts';
import { answerCall, needsRun } from './answer-call.ts';
import type { AgentEvent } from './events.ts';
import { createJournal, type Journal } from './journal.ts';
import { runOnJournal } from './run-on-journal.ts';

/** What happens in one random run. */
export type Plan = {
  readonly script: readonly ScriptedStep[];
  readonly kidScript: readonly ScriptedStep[];
  readonly hooks: readonly {
    point: 'before-step' | 'after-step' | 'before-tool-use' | 'after-tool-use' | 'before-inference';
    ticks: number;
    act: 'metadata' | 'message' | 'replace' | 'nothing';
  }[];
  readonly answers: readonly {
    approve: boolean;
    delay: number;
    twice: boolean;
    edit: boolean;
    remember: boolean;
  }[];
  readonly concurrency: number;
  readonly meddleEvery: number;
  readonly abortAt: number | null;
  readonly steerAt: number | null;
};

const toolNames = ['ok', 'pay', 'slow', 'bad', 'count', 'form', 'delegate'] as const;
const call = fc
  .constantFrom(...toolNames)
  .map((name) => ({ name, id: 'same', input: name === 'delegate' ? { agent: 'kid', task: 'do' } : {} }));
const step: fc.Arbitrary<ScriptedStep> = fc.record(
  {
    text: fc.string({ maxLength: 8 }),
    chunks: fc.integer({ min: 1, max: 3 }),
    reasoning: fc.string({ maxLength: 4 }),
    toolCalls: fc.array(call, { maxLength: 4 }),
    usage: fc.record({ inputTokens: fc.nat(50), outputTokens: fc.nat(50) }),
  },
  { requiredKeys: ['text'] },
);
/** Random runs. */
export const plan: fc.Arbitrary<Plan> = fc.record({
  script: fc.array(step, { minLength: 1, maxLength: 4 }),
  kidScript: fc.array(step, { minLength: 1, maxLength: 3 }),
  hooks: fc.array(
    fc.record({
      point: fc.constantFrom(
        'before-step' as const,
        'after-step' as const,
        'before-tool-use' as const,
        'after-tool-use' as const,
        'before-inference' as const,
      ),
      ticks: fc.nat(6),
      act: fc.constantFrom('metadata' as const, 'message' as const, 'replace' as const, 'nothing' as const),
    }),
    { maxLength: 3 },
  ),
  answers: fc.array(
    fc.record({
      approve: fc.boolean(),
      delay: fc.nat(20),
      twice: fc.boolean(),
      edit: fc.boolean(),
      remember: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  concurrency: fc.integer({ min: 1, max: 4 }),
  meddleEvery: fc.integer({ min: 2, max: 9 }),
  abortAt: fc.option(fc.integer({ min: 1, max: 80 }), { nil: null, freq: 3 }),
  steerAt: fc.option(fc.integer({ min: 1, max: 40 }), { nil: null, freq: 2 }),
});

async function ticks(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await Promise.resolve();
}

/** Which calls of the `once` tools have really had their effect, how often. */
export type Effects = Map<string, number>;

const counter = definePlugin({ id: 'counter', state: z.number(), initial: 0 });

/** An agent that acts out a plan; `effects` counts what its tools did. */
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

/** An event with the state after it. */
export type Told = { readonly event: AgentEvent; readonly state: State };
/** What was told of a run. */
export type Ran = {
  readonly base: State;
  readonly told: Told[];
  readonly journal: Journal;
  readonly meddled: number;
};

/** Runs an agent to its end with everybody acting at once: hooks, tools, a person who answers, an application that writes. */
export async function runAll(planned: Plan, agent: AgentDefinition, env: Env, base: State): Promise<Ran> {
  const journal = createJournal(base, { env });
  const told: Told[] = [];
  const controller = new AbortController();
  const { lease } = journal.lease();
  const people: Promise<void>[] = [];
  let asks = 0;
  let meddled = 0;
  let steered = planned.steerAt !== null;

  async function answer(toolCallId: string, isOutput: boolean): Promise<void> {
    const { approve, delay, twice, edit, remember } = planned.answers[asks++ % planned.answers.length]!;
    await ticks(delay);
    for (let time = 0; time < (twice ? 2 : 1); time++) {
      try {
        const said = isOutput
          ? ({ type: 'respond', output: approve ? 'given' : 7 } as const)
          : approve
            ? ({
                type: 'approve',
                ...(edit ? { input: { edited: true } } : {}),
                ...(remember ? { remember: 'execution' as const } : {}),
              } as const)
            : ({ type: 'reject', reason: 'no' } as const);
        for (const { path, body } of answerCall(journal.state(), toolCallId, said))
          journal.commit(path, body);
      } catch {
        // Answered already, or stopped meanwhile.
      }
    }
  }

  journal.subscribe((event, state) => {
    told.push({ event, state });
    if (event.type === 'approval-request' || event.type === 'output-request')
      people.push(answer(event.toolCallId, event.type === 'output-request'));
    if (told.length % planned.meddleEvery === 0 && meddled < 10 && event.type !== 'metadata-change')
      people.push(
        ticks(2).then(
          () =>
            void journal.commit([], {
              type: 'metadata-change',
              source: 'app',
              set: { [`app:${meddled++}`]: true },
              removed: [],
            }),
        ),
      );
    if (told.length === planned.abortAt) controller.abort('enough');
  });
  const run = (): Promise<unknown> =>
    runOnJournal({
      agent,
      lease,
      env,
      signal: controller.signal,
      takeSteered() {
        if (!steered || told.length < (planned.steerAt ?? 0)) return [];
        steered = false;
        return [user('steered', {}, env)];
      },
    });
  while ((await run()) === 'paused') {
    while (!needsRun(journal.state())) {
      const waiting = AgentState.pendingApprovals(journal.state());
      if (waiting.length === 0) throw new Error('paused for nobody');
      if (people.length > 0) await people.shift();
      else for (const { id, status } of waiting) await answer(id, status === 'awaiting-output');
    }
  }
  while (people.length > 0) await people.shift();
  return { base, told, journal, meddled };
}
