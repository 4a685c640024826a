import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAgentError } from '../../kit/agent-error.ts';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import * as AgentState from './agent-state.ts';
import * as AgentStep from './agent-step.ts';
import * as ExecutionBudget from './execution-budget.ts';
import * as ExecutionContinuation from './execution-continuation.ts';
import * as ToolExecution from './tool-execution.ts';

const id = '01a1feec-c8b1-701a-8a33-407ee15bee7e';
const message = {
  id: 'm',
  role: 'assistant',
  parts: [
    { type: 'text', text: 'a', providerMetadata: { x: 1 } },
    { type: 'reasoning', text: 'a' },
    { type: 'data', name: 'row', data: { a: 1 } },
    { type: 'source', id: 's', url: null, title: 'A' },
    { type: 'tool-call', toolCallId: id, toolName: 't', input: null, providerCallId: 'p' },
    { type: 'tool-result', toolCallId: id, toolName: 't', output: [], outcome: 'failed', durationMs: 0.5 },
    { type: 'file', mediaType: 'image/png', url: 'https://example.com', filename: null },
    { type: 'file', mediaType: 'image/png', blob: { hash: 'a'.repeat(64), size: 3 }, filename: 'a' },
  ],
  metadata: { a: [1] },
  createdAt: 5,
};
const cause = { name: 'E', message: 'n', code: null, cause: null };
const error = { name: 'E', message: 'm', data: { a: 1 }, cause };
const tool = {
  id,
  name: 't',
  status: 'awaiting-approval',
  approval: { decision: 'approved', form: {}, answered: { form: {}, answer: 1 }, isJoint: true },
  error,
  progress: 1,
  result: { a: 1 },
  pluginWrites: [{ pluginId: 'a', fromRevision: 0, toRevision: 2 }],
};
const sent = {
  inferenceId: 'i',
  toolChoice: { toolName: 't' },
  prompt: 0,
  tools: 1,
  responseFormat: 1,
  settings: { a: 1 },
  messages: [['messages', 0, 'b', 2]],
  omitted: [{ range: ['messages', 0, 'b', 2], reason: '' }],
  extra: [0, 1],
};
const step = {
  id,
  sent,
  output: [0, 2],
  tools: [tool],
  errors: [0, error],
  extraUsage: { inputTokens: 2, isEstimated: true },
  response: { finishReason: 'stop', durationMs: 1, usage: { inputTokens: 3, cost: null } },
};
const place = { point: 'model', step: 1, toolCallId: null };
const state = {
  agentId: id,
  createdAt: 1,
  updatedAt: 2,
  executionCount: 1,
  llmConfig: { model: null, settings: { a: { b: 1 } }, prices: { m: { input: 1, output: 2 } } },
  responseFormat: { type: 'json', schema: {}, name: 'a' },
  sections: [{ name: 'messages', messages: [0, 1] }],
  retained: { keys: ['a'], messages: [0, 1] },
  spentBefore: { tokens: 1, cost: 2, hasUnknownCost: false },
  plugins: { p: { version: 1, revision: 0, data: null } },
  breakpoints: [
    { id: 'a', on: { type: 'tool', toolName: 'x', isAfter: true }, isOnce: false },
    { id: 'b', on: { type: 'budget', limit: 'steps', left: 1 }, isOnce: true },
  ],
  execution: {
    executionId: id,
    status: 'stopped',
    startedAt: '2026-01-01',
    steps: [{ step, startedAt: 1, completedAt: 2, durationMs: 0 }],
    continuation: { stopSignals: [{ reason: 'unknown', at: 1, context: { a: 1 } }] },
    currentStep: step,
    grants: { steps: 1 },
    limits: { maxSteps: 2 },
    breakHit: { breakpointId: 'a', at: place },
    breakPassed: place,
    errors: [error],
  },
};
const tables = {
  version: 1,
  messages: [message, { ...message, id: 'n' }],
  texts: [
    ['h', { a: 1 }],
    ['g', 1],
  ],
};

type Codec = {
  readonly toJSON: (value: never) => object;
  readonly fromJSON: (document: unknown, env?: ReturnType<typeof fixedEnv>) => unknown;
};
const samples: readonly (readonly [kind: string, codec: Codec, document: object])[] = [
  ['a state', AgentState, { $schema: 'vitrine/agent-state', ...tables, ...state }],
  ['a step', AgentStep, { $schema: 'vitrine/agent-step', ...tables, ...step }],
  [
    'a budget',
    ExecutionBudget,
    { $schema: 'vitrine/execution-budget', version: 1, maxSteps: 3, maxCost: null },
  ],
  [
    'a continuation',
    ExecutionContinuation,
    { $schema: 'vitrine/execution-continuation', version: 1, ...state.execution.continuation },
  ],
  ['a call', ToolExecution, { $schema: 'vitrine/tool-execution', ...tables, ...tool }],
];

type Holder = { [name: string]: unknown };

/** The places of a document below its values of any content, each with the path to it. */
function placesIn(holder: unknown, path = '', found: { holder: Holder; name: string; at: string }[] = []) {
  if (typeof holder !== 'object' || holder === null) return found;
  for (const [name, child] of Object.entries(holder)) {
    const at = path === '' ? name : `${path}.${name}`;
    found.push({ holder: holder as Holder, name, at });
    if (!isAnything(name)) placesIn(child, at, found);
  }
  return found;
}

/** True for the name of a field with any JSON. */
function isAnything(name: string): boolean {
  const names =
    'providerMetadata data metadata input output progress result form answer schema settings context';
  return names.split(' ').includes(name);
}

const odd: readonly unknown[] = [null, 0, -1, 0.5, 1e300, '', id, 'text', true, undefined];
const oddObjects = [[], {}, [[]], [0], [0, 1], { type: 'text' }, { type: 'next', a: 1 }];
const put = fc.constantFrom(...odd, ...oddObjects);

describe('damaged documents', () => {
  it.each(samples)(
    '%s with every field is read, and its document is read as equal',
    (_kind, codec, document) => {
      const read = codec.fromJSON(document);
      expect(codec.fromJSON(codec.toJSON(read as never))).toEqual(read);
    },
  );

  it(
    'a document with one damage is rejected with the path to it, or read without unknown fields',
    { timeout: 120_000 },
    () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...samples),
          fc.nat(5000),
          fc.constantFrom(null, null, null, 'unasked', '__proto__', 'constructor'),
          put,
          ([, codec, whole], index, key, instead) => {
            const document = structuredClone(whole);
            const places = placesIn(document);
            const { holder, name, at } = places[index % places.length]!;
            if (key !== null && isAnything(at.split('.').at(-2) ?? '')) return;
            if (key !== null && at.startsWith('texts.')) return;
            const value: PropertyDescriptor = { value: instead, enumerable: true, configurable: true };
            if (instead === undefined) delete holder[name];
            else if (key === null || Array.isArray(holder)) holder[name] = instead;
            else Object.defineProperty(holder, key, value);
            try {
              const read = codec.fromJSON(document, fixedEnv());
              expect(JSON.stringify(read)).not.toContain('"unasked"');
              expect(codec.fromJSON(codec.toJSON(read as never), fixedEnv())).toEqual(read);
            } catch (thrown) {
              if (!isAgentError(thrown)) throw thrown;
              expect(['state-invalid', 'state-version-unsupported']).toContain(thrown.code);
              if (thrown.code === 'state-invalid')
                expect(thrown.message).toContain(`at ${String(thrown.data['path']) || 'its root'}:`);
            }
          },
        ),
        { numRuns: Number(process.env['PROVE_RUNS'] ?? 1000) },
      );
    },
  );
});
