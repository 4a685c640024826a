import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import * as AgentState from '../../packages/core/src/run/agent-state.ts';
import { agentOf } from '../../packages/core/src/run/random-agent.fixture.ts';
import { plan } from '../../packages/core/src/run/random-plan.fixture.ts';
import { runAll } from '../../packages/core/src/run/random-runs.fixture.ts';
import { fixedEnv } from '../../packages/testing/src/fixed-env.ts';
import { ask } from '../../packages/testing/src/fixtures.ts';
import { SessionSpans } from '../../bridges/otel/src/session-spans.ts';
import { msOf, testTracer } from './spans.fixture.ts';

const runs = { numRuns: Number(process.env['PROVE_RUNS'] ?? 50) };
const unhurried = { timeout: 1_800_000 };
const words = { conventions: 'genai-0.1', openInference: true, content: true } as const;
const session = { id: 'session-1', name: 'agent' };

function tokens(spans: readonly ReadableSpan[], attribute: string): number {
  return spans
    .filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat')
    .reduce((sum, { attributes }) => sum + Number(attributes[attribute] ?? 0), 0);
}

function expectNested(spans: readonly ReadableSpan[]): void {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  for (const span of spans) {
    const { name, parentSpanContext, startTime, endTime } = span;
    expect(msOf(endTime)).toBeGreaterThanOrEqual(msOf(startTime));
    const isRoot = parentSpanContext === undefined;
    expect(isRoot ? name : '').toMatch(isRoot ? /^invoke_agent agent$/ : /^$/);
    if (isRoot) continue;
    const parent = byId.get(parentSpanContext.spanId);
    expect(parent).toBeDefined();
    if (parent === undefined) continue;
    expect(msOf(startTime)).toBeGreaterThanOrEqual(msOf(parent.startTime));
    expect(msOf(endTime)).toBeLessThanOrEqual(msOf(parent.endTime));
    expect(parent.spanContext().traceId).toBe(span.spanContext().traceId);
  }
}

it(
  'every span of a random run ends exactly once within its parent, and their tokens are those of the state',
  unhurried,
  async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (planned) => {
        const env = fixedEnv();
        const { entries, journal } = await runAll(
          planned,
          agentOf(planned, new Map()),
          env,
          ask('Hello', env),
        );
        const { tracer, spans, begun, ended } = testTracer();
        const traced = new SessionSpans(tracer, words, session);
        for (const { event, state } of entries) traced.onEvent(event, state);
        // The run itself has ended all of them.
        expect(ended.toSorted()).toEqual(begun.toSorted());
        expect(new Set(ended).size).toBe(ended.length);
        traced.end();
        expect(ended).toHaveLength(begun.length);
        expectNested(spans());
        const { inputTokens, outputTokens, reasoningTokens } = AgentState.usage(journal.state());
        expect(tokens(spans(), 'gen_ai.usage.input_tokens')).toBe(inputTokens);
        expect(tokens(spans(), 'gen_ai.usage.output_tokens')).toBe(outputTokens);
        expect(tokens(spans(), 'gen_ai.usage.reasoning.output_tokens')).toBe(reasoningTokens);
        expect(tokens(spans(), 'llm.token_count.prompt')).toBe(inputTokens);
      }),
      runs,
    );
  },
);

it(
  'a tracer that joins a random run at any event still ends every span once within its parent',
  unhurried,
  async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.nat(120), fc.nat(120), async (planned, from, length) => {
        const env = fixedEnv();
        const { entries } = await runAll(planned, agentOf(planned, new Map()), env, ask('Hello', env));
        const { tracer, spans, begun, ended } = testTracer();
        const traced = new SessionSpans(tracer, words, session);
        for (const { event, state } of entries.slice(from, from + length)) traced.onEvent(event, state);
        traced.end();
        expect(ended.toSorted()).toEqual(begun.toSorted());
        expectNested(spans());
      }),
      runs,
    );
  },
);
