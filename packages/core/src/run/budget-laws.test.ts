import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import { defineAgent } from '../agent/define-agent.ts';
import * as AgentState from './agent-state.ts';
import { spentOf } from '../graph/limits.ts';
import type { AgentState as State } from '../graph/types.ts';
import type { InferenceClient, InferenceEvent } from '../model/inference-client.ts';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask } from '@vitrine/testing/internal/fixtures';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import { sentTextBytes } from './estimate-call.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 40);
const maxOutputTokens = 60;

/** The ways in which a model ends its answer and reports its usage. */
const ends = [
  'absent',
  'zero',
  'negative',
  'text',
  'NaN',
  'input only',
  'late',
  'cut',
  'throws',
  'error',
] as const;
type End = (typeof ends)[number];

type Plan = {
  readonly maxTokens: number | null;
  readonly concurrency: number;
  /** Size of the tool's result, in bytes. */
  readonly result: number;
  readonly calls: readonly { readonly end: End; readonly text: number }[];
  readonly children: readonly Plan[];
};

function tree(depth: number): fc.Arbitrary<Plan> {
  return fc.record({
    maxTokens: fc.option(fc.integer({ min: 1, max: 6000 }), { freq: 3 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
    result: fc.constantFrom(10, 400, 6000, 60_000),
    calls: fc.array(
      // The models of this test put out at most three bytes for each token.
      fc.record({
        end: fc.constantFrom(...ends),
        text: fc.integer({ min: 1, max: maxOutputTokens * 3 - 60 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    children: depth === 0 ? fc.constant([]) : fc.array(tree(depth - 1), { maxLength: 3 }),
  });
}

/**
 * Returns the reported usage. Correct figures have four bytes a token, and half of that ratio equals the
 * default of an eighth.
 */
function figuresOf(end: End, bytes: number): unknown {
  const inputTokens = Math.ceil(bytes / 4);
  switch (end) {
    case 'zero':
      return { inputTokens: 0, outputTokens: 0, totalTokens: 0, cost: 0 };
    case 'negative':
      return { inputTokens: -4, outputTokens: -2, totalTokens: -6 };
    case 'text':
      return { inputTokens: '12', outputTokens: '2' };
    case 'NaN':
      return { inputTokens: Number.NaN, outputTokens: Number.NaN, totalTokens: Number.NaN };
    case 'input only':
      return { inputTokens };
    default:
      return end === 'late' ? { inputTokens, outputTokens: 20 } : undefined;
  }
}

/** Model calls seen by the test: their number, and those that needed more than the remaining budget. */
type Seen = { calls: number; readonly short: string[] };

function modelOf({ calls, children }: Plan, left: () => number, seen: Seen): InferenceClient {
  let played = 0;
  return {
    async *stream(request): AsyncGenerator<InferenceEvent> {
      seen.calls += 1;
      const least = Math.floor(Math.max(0, sentTextBytes(request) - 1024) / 8);
      if (least > left()) seen.short.push(`${least} of ${left()}`);
      const { end, text } = calls[played++ % calls.length]!;
      yield { type: 'text-delta', delta: 'x'.repeat(text) };
      if (end === 'late') for (let tick = 0; tick < 20; tick++) await Promise.resolve();
      if (end === 'throws') throw new Error('gone');
      if (end === 'error')
        return yield {
          type: 'error',
          code: 'upstream-error',
          message: 'x',
          retryable: false,
          retryAfterMs: null,
        };
      const names = children.map((_, index) => `child${index}`);
      for (const agent of names)
        yield { type: 'tool-call', toolCallId: agent, toolName: 'delegate', input: { agent, task: 'x' } };
      yield { type: 'tool-call', toolCallId: 'r', toolName: 'read', input: {} };
      if (end !== 'cut')
        yield {
          type: 'finish',
          finishReason: 'tool-calls',
          usage: figuresOf(end, sentTextBytes(request)),
        } as InferenceEvent;
    },
  };
}

/** Builds the agent of a plan; `left` returns the remaining budget of the agents above. */
function agentOf(plan: Plan, name: string, left: () => number, seen: Seen): AgentDefinition {
  return defineAgent({
    name,
    inference: modelOf(plan, left, seen),
    tools: [fakeTool('read', 'y'.repeat(plan.result))],
    subagents: plan.children.map((child, index) => agentOf(child, `child${index}`, left, seen)),
    budget: { maxSteps: 6, maxTokens: plan.maxTokens },
    toolConcurrency: plan.concurrency,
    llmConfig: { settings: { maxOutputTokens } },
    retry: { maxAttempts: 1 },
  });
}

const total = (state: State): number => spentOf(state, state.updatedAt).tokens;

/** The usage of every model call of a tree, one entry a call. */
function callsIn(state: State): number[] {
  return AgentState.steps(state).flatMap((step) => [
    (step.inferenceResponse?.usage ?? step.extraUsage)?.totalTokens ?? 0,
    ...step.toolExecutions.flatMap(({ childState }) => (childState === null ? [] : callsIn(childState))),
  ]);
}

/** Every agent of the tree with its plan. */
function agentsIn(state: State, plan: Plan): { state: State; plan: Plan }[] {
  const below = AgentState.steps(state).flatMap(({ toolExecutions }) =>
    toolExecutions.flatMap(({ childState, toolCall }) => {
      const name = String((toolCall.input as { agent?: unknown }).agent ?? '');
      const child = plan.children[Number(name.replace('child', ''))];
      return childState === null || child === undefined ? [] : agentsIn(childState, child);
    }),
  );
  return [{ state, plan }, ...below];
}

describe('the budgets of a tree of agents', () => {
  it('the budgets of a tree of agents are exceeded by less than one call, and no call is sent without room, for any reported usage', async () => {
    const property = fc.asyncProperty(
      tree(2),
      fc.integer({ min: 100, max: 9000 }),
      async (plan, maxTokens) => {
        const seen: Seen = { calls: 0, short: [] };
        let now: State = ask();
        const limited = { ...plan, maxTokens };
        const agent = agentOf(limited, 'root', () => maxTokens - total(now), seen);
        const loop = createAgentLoop(agent, { onEvent: (_event, state) => void (now = state) });
        const end = await loop.execute(ask());
        expect(seen.short).toEqual([]);
        for (const { state, plan: own } of agentsIn(end, limited)) {
          if (own.maxTokens === null) continue;
          expect(total(state) - own.maxTokens).toBeLessThan(Math.max(1, ...callsIn(state)));
        }
        // Every call is charged; no call is free.
        for (const tokens of callsIn(end)) expect(tokens).toBeGreaterThan(0);
        expect(seen.calls).toBeLessThanOrEqual(callsIn(end).length);
      },
    );
    await fc.assert(property, { numRuns });
  });
});
