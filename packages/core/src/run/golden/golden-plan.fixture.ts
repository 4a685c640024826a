import { hookPoints } from '../../agent/hook.ts';
import fc from 'fast-check';
import { breakConditions } from '../random-plan.fixture.ts';

/** The tools of a golden agent. */
export const toolNames = [
  'ok',
  'pay',
  'ruled',
  'slow',
  'bad',
  'count',
  'form',
  'big',
  'asks',
  'stops',
  'late',
  'typed',
  'lazy',
  'delegate',
] as const;

/** The things that a hook of a golden agent may do. */
const hookActs = [
  'metadata',
  'message',
  'rewrite',
  'remove',
  'nothing',
  'request',
  'prompt',
  'response',
  'call',
  'block',
  'close',
  'execution',
  'throw',
  'stop',
  'model',
  'wrong',
] as const;

/** A value that most plans do not have: null `usual` times, the value twice. */
function rare<Value>(value: fc.Arbitrary<Value>, usual: number): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: usual, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: value });
}

const call = fc.record({
  name: fc.constantFrom(...toolNames, 'absent' as const),
  id: fc.constantFrom('same', 'same', 'a', 'b', ''),
  input: fc.constantFrom<object>({}, {}, {}, { edited: true }, { n: 3 }, { n: 'x' }),
});

const usage = fc.oneof(
  { weight: 4, arbitrary: fc.record({ inputTokens: fc.nat(300), outputTokens: fc.nat(80) }) },
  fc.constant(null),
  fc.constant({ inputTokens: -1 }),
  fc.record({
    inputTokens: fc.nat(50),
    outputTokens: fc.nat(50),
    cost: fc.constantFrom(0, 0.01, 1),
  }),
);

const failure = fc.record({
  code: fc.constantFrom(
    'upstream-error',
    'rate-limited',
    'stream-incomplete',
    'upstream-timeout',
    'unauthorized',
  ),
  retryable: fc.boolean(),
  retryAfterMs: fc.constantFrom(null, 3, 100_000),
  kind: fc.constantFrom(
    'event' as const,
    'event' as const,
    'throw' as const,
    'busy' as const,
    'cut' as const,
    'stop' as const,
  ),
  isAfterText: fc.boolean(),
});

const answer = fc.record({
  text: fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('', '{"n":1}', '{"n":"x"}', 'y'.repeat(200))),
  chunks: fc.integer({ min: 1, max: 3 }),
  reasoning: fc.constantFrom('', '', 'hm'),
  toolCalls: fc.oneof(
    fc.constant([]),
    fc.array(call, { minLength: 1, maxLength: 4 }),
    fc.array(call, { minLength: 1, maxLength: 2 }),
  ),
  runElsewhere: rare(fc.constant(true), 8),
  part: fc.constantFrom(null, null, null, 'file' as const, 'source' as const),
  usage,
  finishReason: rare(fc.constantFrom('length' as const, 'content-filter' as const, 'error' as const), 6),
  failure: rare(failure, 12),
  gapMs: fc.constantFrom(0, 0, 0, 2, 30),
});

const limits = fc.record({
  maxSteps: fc.constantFrom(5, 5, 2),
  maxTokens: fc.constantFrom(null, null, null, 900, 3000, 20_000),
  maxCost: fc.constantFrom(null, null, null, null, 0.01, 0.5),
  maxSeconds: fc.constantFrom(null, null, null, null, null, 0.05),
});

const hook = fc.record({
  on: fc.constantFrom(...hookPoints),
  act: fc.constantFrom(...hookActs, 'nothing' as const),
  waitMs: fc.constantFrom(0, 0, 1, 7),
  /** The call of the hook, of each four, in which it acts. */
  at: fc.nat(3),
  keepsSent: fc.boolean(),
});

const person = fc.record({
  says: fc.constantFrom(
    'approve' as const,
    'approve' as const,
    'edit' as const,
    'remember' as const,
    'reject' as const,
    'reject-always' as const,
  ),
  delayMs: fc.constantFrom(0, 3, 50),
});

const breakpoint = fc.record({
  at: fc.integer({ min: 1, max: 20 }),
  on: breakConditions(toolNames),
  isOnce: fc.boolean(),
  edit: fc.constantFrom(
    'input' as const,
    'result' as const,
    'systemPrompt' as const,
    'step' as const,
    'nothing' as const,
  ),
});

/** All that is random in a golden run, as plain data. */
export const goldenPlan = fc.record({
  script: fc.array(answer, { minLength: 1, maxLength: 5 }),
  kidScript: fc.array(answer, { minLength: 1, maxLength: 3 }),
  hooks: fc.array(hook, { maxLength: 3 }),
  people: fc.array(person, { minLength: 1, maxLength: 4 }),
  breakpoint: rare(breakpoint, 2),
  budget: limits,
  kidBudget: limits,
  sessionTokens: rare(fc.constant(1500), 10),
  maxTotalSteps: rare(fc.constant(4), 4),
  maxToolCalls: fc.constantFrom(100, 100, 2),
  maxResultBytes: fc.constantFrom(1_048_576, 1_048_576, 300),
  maxOutputTokens: rare(fc.constant(50), 4),
  price: fc.constantFrom(
    'none' as const,
    'none' as const,
    'own' as const,
    'client' as const,
    'client-fails' as const,
    'client-never' as const,
  ),
  hasFormat: fc.constantFrom(false, false, false, true),
  maxOutputRetries: fc.constantFrom(0, 1, 2),
  attempts: fc.constantFrom(1, 2, 3),
  hasEffectLog: fc.boolean(),
  continuesAnswers: fc.boolean(),
  stored: fc.constantFrom(
    'none' as const,
    'none' as const,
    'good' as const,
    'good' as const,
    'fails' as const,
    'conflict' as const,
  ),
  file: rare(fc.constantFrom('there' as const, 'absent' as const, 'broken' as const), 6),
  plugin: fc.constantFrom(
    null,
    null,
    'plain' as const,
    'plain' as const,
    'plain' as const,
    'wrong' as const,
    'throws' as const,
  ),
  toolTrace: fc.constantFrom('tagged' as const, 'tagged' as const, 'separate' as const),
  compiles: fc.constantFrom(false, false, false, true),
  lendsTools: fc.boolean(),
  concurrency: fc.constantFrom(1, 1, 1, 2, 4),
  steerAt: fc.option(fc.integer({ min: 1, max: 40 }), { nil: null, freq: 2 }),
  abort: rare(
    fc.oneof(
      fc.record({ at: fc.integer({ min: 1, max: 80 }) }),
      fc.record({ ms: fc.integer({ min: 1, max: 200 }) }),
    ),
    4,
  ),
  /** True when the application changes metadata with every seventh event. */
  meddles: fc.boolean(),
  /** The event behind which the process dies, as a share of all. */
  cut: fc.nat(999),
});

export type GoldenPlan = typeof goldenPlan extends fc.Arbitrary<infer Plan> ? Plan : never;
