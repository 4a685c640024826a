import fc from 'fast-check';
import type { BreakCondition } from '../graph/types.ts';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';

/** The plan of one random run. */
export type Plan = {
  readonly script: readonly ScriptedStep[];
  readonly kidScript: readonly ScriptedStep[];
  readonly hooks: readonly {
    point: 'before-step' | 'after-step' | 'before-tool-use' | 'after-tool-use' | 'before-inference';
    ticks: number;
    act: 'metadata' | 'message' | 'replace' | 'rewrite' | 'remove' | 'nothing';
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
  /** Breakpoints that are set during the run. Each of their hits is released, after a delay and with an edit. */
  readonly breaks?: readonly {
    at: number;
    on: BreakCondition;
    isOnce: boolean;
    delay: number;
    edit: 'input' | 'result' | 'systemPrompt' | 'message' | 'step' | 'nothing';
  }[];
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

/** Conditions of breakpoints, of agents with these tools. */
export function breakConditions(toolNames: readonly string[]): fc.Arbitrary<BreakCondition> {
  return fc.oneof(
    fc.constant({ type: 'next' as const }),
    fc.constant({ type: 'model' as const }),
    fc.record({
      type: fc.constant('tool' as const),
      toolName: fc.constantFrom(...toolNames),
      isAfter: fc.boolean(),
    }),
    fc.record({
      type: fc.constant('step' as const),
      stepType: fc.constantFrom('error' as const, 'tool-execution' as const, 'final-response' as const),
    }),
    fc.record({
      type: fc.constant('budget' as const),
      limit: fc.constantFrom('steps' as const, 'tokens' as const),
      left: fc.nat(4),
    }),
  );
}

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
      act: fc.constantFrom(...(['metadata', 'message', 'replace', 'rewrite', 'remove', 'nothing'] as const)),
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
  breaks: fc.array(
    fc.record({
      at: fc.integer({ min: 1, max: 30 }),
      on: breakConditions(toolNames),
      isOnce: fc.boolean(),
      delay: fc.nat(30),
      edit: fc.constantFrom(
        ...(['input', 'result', 'systemPrompt', 'message', 'step', 'nothing', 'nothing'] as const),
      ),
    }),
    { maxLength: 2 },
  ),
});
