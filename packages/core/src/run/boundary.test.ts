import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent/define-agent.ts';
import { defineHook, hookPoints } from '../agent/hook.ts';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import type { InferenceEvent } from '../model/inference-client.ts';
import { ask } from '@vitrine/testing/internal/fixtures';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentEvent } from './events.ts';
import { definePlugin } from '../features/define-plugin.ts';

const json = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
const runs = { numRuns: Number(process.env['PROVE_RUNS'] ?? 200) };
const unhurried = { timeout: 1_800_000 };

/** Arbitrary values that user code may return or throw, or that a network may deliver. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
    withNullPrototype: true,
  }),
  fc.constantFrom(undefined, null, {}, 5, 'x', [], NaN, -1),
);
const events: readonly InferenceEvent['type'][] = [
  'start',
  'text-delta',
  'reasoning-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call',
  'file',
  'source',
  'finish',
  'error',
];
const names = ['odd', 'writes', 'never', ''];
const wireEvent: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        type: fc.constantFrom(...events),
        delta: anything,
        toolCallId: fc.constantFrom('', 'a', 'a', 7),
        toolName: fc.constantFrom(...names),
        input: anything,
        finishReason: fc.constantFrom('stop', 'tool_use', 'length', 4),
        usage: anything,
        url: anything,
        mediaType: anything,
        id: anything,
        message: anything,
        code: anything,
        retryable: fc.boolean(),
        partId: fc.constantFrom('0', '1', 2),
        providerMetadata: anything,
      },
      { requiredKeys: ['type'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('text-delta'), delta: fc.string({ unit: 'grapheme' }) }),
  },
  { weight: 1, arbitrary: anything },
);
const finish = { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1 } };

type Act = { readonly kind: 'return' | 'throw' | 'stop' | 'change'; readonly value: unknown };
const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom('return' as const, 'throw' as const, 'stop' as const, 'change' as const),
  value: anything,
});

function perform(act: Act, change: () => unknown): unknown {
  if (act.kind === 'throw') throw act.value;
  if (act.kind === 'stop') throw new AgentStopError();
  return act.kind === 'change' ? change() : act.value;
}

/** Returns the state that a hook built by hand, without the functions that check values. */
function meddled(state: ReturnType<typeof ask>, index: number, value: unknown): unknown {
  const odd = {
    id: value,
    role: 'user',
    parts: [{ type: 'text', text: 'x' }, value],
    metadata: { value },
    createdAt: value,
  };
  const sections = [...state.context.store.sections, { name: `s${index}`, messages: [odd] }];
  return {
    ...state,
    context: { ...state.context, metadata: { ...state.context.metadata, value }, store: { sections } },
    plugins: { ...state.plugins, [`raw${index}`]: { version: 1, revision: 1, data: value } },
  };
}

describe('values from user code and from the network', () => {
  it(
    'any value from outside is stored as it will be read back, never rejects the loop, and the run ends once',
    unhurried,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(wireEvent, { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
          fc.array(fc.record({ point: fc.constantFrom(...hookPoints), act }), { maxLength: 3 }),
          act,
          act,
          act,
          async (answers, hookActs, toolAct, prepareAct, ruleAct) => {
            let played = 0;
            const plugin = definePlugin({
              id: 'p',
              state: z.unknown(),
              prepare: (ctx) => perform(prepareAct, () => ctx.set(1)) as never,
            });
            const tool = (name: string): ReturnType<typeof defineTool> =>
              defineTool({
                name,
                description: '',
                input: z.any(),
                needsApproval: () =>
                  ruleAct.kind === 'change' ? false : (perform(ruleAct, () => false) as boolean),
                execute: (_input, ctx) =>
                  perform(toolAct, () => {
                    ctx.update(() => toolAct.value as never);
                    ctx.report(toolAct.value as never);
                    ctx.plugin(plugin).set(toolAct.value);
                    return toolAct.value;
                  }),
              });
            const agent = defineAgent({
              name: 'fuzzed',
              tools: ['odd', 'writes'].map(tool),
              plugins: [plugin],
              hooks: hookActs.map(({ point, act: own }, index) =>
                defineHook({
                  name: `h${index}`,
                  on: point,
                  run: (state) => perform(own, () => meddled(state, index, own.value)) as never,
                }),
              ),
              budget: { maxSteps: 3 },
              retry: { maxAttempts: 1 },
              inference: {
                async *stream() {
                  for (const event of answers[Math.min(played++, answers.length - 1)] ?? [])
                    yield event as InferenceEvent;
                  yield finish as InferenceEvent;
                },
              },
            });
            const told: AgentEvent[] = [];
            const loop = createAgentLoop(agent, {
              onEvent: (event) => told.push(event),
              hookContract: 'off',
            });
            let state = await loop.execute(ask());
            for (let round = 0; round < 4 && AgentState.status(state) === 'in-progress'; round++) {
              const waiting = AgentState.pendingApprovals(state);
              expect(waiting.length).toBeGreaterThan(0);
              for (const { id } of waiting) state = AgentState.withRejection(state, id);
              state = await loop.execute(state);
            }
            expect(['completed', 'stopped', 'failed', 'in-progress']).toContain(AgentState.status(state));
            if (AgentState.status(state) !== 'in-progress')
              expect(told.filter(({ type }) => type === 'execution-end')).toHaveLength(1);
            expect(AgentState.fromJSON(json(AgentState.toJSON(state)))).toEqual(state);
            expect(json(told)).toEqual(told);
          },
        ),
        runs,
      );
    },
  );
});
