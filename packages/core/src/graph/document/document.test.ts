import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isAgentError } from '../../kit/agent-error.ts';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { createAgentLoop } from '../../agent-loop/create-agent-loop.ts';
import * as AgentState from '../../run/agent-state.ts';
import { ask, collect, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import * as PluginState from '../../agent/plugin/plugin-state.ts';
import type { AgentState as State } from '../types.ts';
import { defineTool } from '../../agent/tool.ts';
import { definePlugin } from '../../features/define-plugin.ts';

const text = (value: unknown): string => JSON.stringify(value);
const roundTrip = (state: State): State => AgentState.fromJSON(JSON.parse(text(AgentState.toJSON(state))));

const counter = definePlugin({ id: 'counter', state: z.int(), initial: 0 });
const tools = [
  defineTool({
    name: 'count',
    description: '',
    input: z.object({}),
    execute: (_input, ctx) => ctx.plugin(counter).update((n = 0) => n + 1),
  }),
  defineTool({
    name: 'fail',
    description: '',
    input: z.object({}),
    execute: () => Promise.reject(new Error('x', { cause: new Error('y') })),
  }),
  defineTool({ name: 'ask', description: '', input: z.object({}), needsApproval: true, execute: () => null }),
];

/** Scripted steps from which random runs are made. */
const scriptedStep: fc.Arbitrary<ScriptedStep> = fc.record(
  {
    text: fc.string(),
    reasoning: fc.string(),
    toolCalls: fc.array(
      fc.record({
        name: fc.constantFrom('count', 'fail', 'ask', 'nope', 'delegate'),
        input: fc.constant({ agent: 'kid', task: 't' }),
      }),
      { maxLength: 3 },
    ),
    usage: fc.record({ inputTokens: fc.nat(100), outputTokens: fc.nat(100) }),
    error: fc.constantFrom(new Error('thrown'), { message: 'sent' }),
    chunks: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: [] },
);

async function statesOf(script: ScriptedStep[], stopAfter: number): Promise<State[]> {
  const controller = new AbortController();
  const kid = scriptedAgent([...script].reverse(), { name: 'kid', tools, budget: { maxSteps: 2 } });
  const agent = scriptedAgent(script, {
    tools,
    plugins: [counter],
    subagents: [kid],
    budget: { maxSteps: 4 },
  });
  const states: State[] = [];
  const loop = createAgentLoop(agent, {
    onEvent(_event, state) {
      states.push(state);
      if (states.length === stopAfter) controller.abort('stopped');
    },
  });
  states.push(await loop.execute(ask(), { signal: controller.signal }));
  return states;
}

describe('a state that was saved and loaded', () => {
  it(
    'a loaded state is equal to the saved one for every state of random runs',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(scriptedStep, { minLength: 1, maxLength: 4 }),
          fc.integer({ min: 1, max: 60 }),
          async (script, stopAfter) => {
            for (const state of await statesOf(script, stopAfter)) expect(roundTrip(state)).toEqual(state);
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it('a loaded state keeps the state of unknown plugins', () => {
    const state = PluginState.set(AgentState.create(), definePlugin({ id: 'gone', state: z.string() }), '');
    expect(roundTrip(state).plugins).toEqual(state.plugins);
  });

  it('a document grows with the messages of a state, not with its steps', async () => {
    const agent = scriptedAgent([{ toolCalls: [{ name: 'count', input: {} }] }], {
      tools,
      budget: { maxSteps: 100 },
    });
    const states = await collect(createAgentLoop(agent).iterate(ask()));
    const size = (at: number): number => text(AgentState.toJSON(states[at]!)).length;
    expect(size(99) - size(49)).toBeLessThan(1.05 * (size(49) - size(0)));
  });
});

describe('a document that cannot be read', () => {
  const document = async (): Promise<Record<string, unknown>> =>
    JSON.parse(
      text(
        AgentState.toJSON(
          (await statesOf([{ text: 'a', toolCalls: [{ name: 'count', input: {} }] }, { text: 'b' }], -1)).at(
            -1,
          )!,
        ),
      ),
    );

  it(
    'a damaged document gives an equal state, or state-invalid with a path',
    { timeout: 60_000 },
    async () => {
      const good = text(await document());
      const damage = fc.tuple(
        fc.nat(good.length - 1),
        fc.constantFrom('', '0', '"', '{', 'null', '-1', ','),
        fc.nat(12),
      );
      fc.assert(
        fc.property(damage, ([at, put, length]) => {
          let parsed: unknown;
          try {
            parsed = JSON.parse(good.slice(0, at) + put + good.slice(at + length));
          } catch {
            return;
          }
          try {
            const state = AgentState.fromJSON(parsed);
            expect(roundTrip(state)).toEqual(state);
          } catch (error) {
            expect(
              isAgentError(error, 'state-invalid') || isAgentError(error, 'state-version-unsupported'),
              String(error),
            ).toBe(true);
          }
        }),
        { numRuns: 2000 },
      );
    },
  );
});
