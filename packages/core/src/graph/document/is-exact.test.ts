import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { isExact } from './is-exact.ts';
import { envelopeSchema } from './document.ts';
import { messageShape } from './message-shape.ts';
import { stateShape } from './state-shape.ts';
import { callShape, errorShape, stepShape } from './step-shape.ts';

const id = '01a1feec-c8b1-701a-8a33-407ee15bee7e';
const message = {
  id: 'm',
  role: 'assistant',
  parts: [
    { type: 'text', text: 'a', providerMetadata: { x: 1 } },
    { type: 'tool-call', toolCallId: id, toolName: 't', input: null },
    { type: 'tool-result', toolCallId: id, toolName: 't', output: [], outcome: 'failed', durationMs: 0.5 },
    { type: 'file', mediaType: 'image/png', url: 'https://example.com', filename: null },
  ],
  metadata: { a: [1] },
  createdAt: 5,
};
const error = { name: 'E', message: 'm', cause: { name: 'E', message: 'n', code: null, cause: null } };
const tool = { id, status: 'awaiting-approval', approval: { decision: 'approved' }, error, progress: 1 };
const range = ['messages', 0, 'b', 2];
const sent = {
  inferenceId: 'i',
  toolChoice: { toolName: 't' },
  prompt: 0,
  tools: 1,
  messages: [range],
  omitted: [{ range, reason: '' }],
};
const step = {
  id,
  sent,
  output: [0, 2],
  tools: [tool],
  errors: [0, error],
  response: { finishReason: 'stop', durationMs: 1, usage: { inputTokens: 3, cost: null } },
};
const state = {
  agentId: id,
  createdAt: 1,
  updatedAt: 2,
  executionCount: 1,
  llmConfig: { model: null, settings: {}, prices: { m: { input: 1, output: 2 } } },
  responseFormat: { type: 'json', schema: {} },
  sections: [{ name: 'messages', messages: [0, 1] }],
  plugins: { p: { version: 1, revision: 0, data: null } },
  execution: {
    executionId: id,
    status: 'stopped',
    startedAt: '2026-01-01',
    steps: [{ step, startedAt: 1, completedAt: 2, durationMs: 0 }],
    continuation: { stopSignals: [{ reason: 'unknown', at: 1 }] },
  },
};
const envelope = { $schema: 'vitrine/x', version: 1, messages: [message], texts: [['h', { a: 1 }]] };

const samples: readonly (readonly [string, z.ZodMiniType, object])[] = [
  ['a message', messageShape.schema, message],
  ['an error', errorShape.schema, error],
  ['a call', callShape.schema, tool],
  ['a step', stepShape.schema, step],
  ['a state', stateShape.schema, state],
  ['an envelope', envelopeSchema, envelope],
];

/** Replacements for a damaged value; undefined removes it. */
const put = fc.constantFrom<unknown>(undefined, null, 0, -1, 0.5, 1e300, '', id, 'text', true, [], {}, [[]], {
  extra: 1,
});

/** A copy with one of its values replaced or one added. */
function damaged(value: object, at: number, key: string | null, instead: unknown): unknown {
  const copy: unknown = structuredClone(value);
  const places: { holder: Record<string, unknown>; name: string }[] = [];
  const walk = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const [name, child] of Object.entries(holder)) {
      places.push({ holder: holder as Record<string, unknown>, name });
      walk(child);
    }
  };
  walk(copy);
  const place = places[at % places.length]!;
  const name = key ?? place.name;
  if (instead === undefined) delete place.holder[name];
  else place.holder[name] = instead;
  return JSON.parse(JSON.stringify(copy)) as unknown;
}

describe('isExact', () => {
  it.each(samples)('isExact accepts %s that fits its schema', (_what, schema, value) => {
    expect(isExact(schema, value)).toBe(true);
    expect(schema.parse(value)).toEqual(value);
  });

  it(
    'isExact is true only when the schema returns an equal value, however a document was damaged',
    { timeout: 60_000 },
    () => {
      const key = fc.constantFrom(null, null, null, 'extra', 'type', 'cause', '__proto__');
      fc.assert(
        fc.property(
          fc.constantFrom(...samples),
          fc.nat(500),
          key,
          put,
          ([, schema, value], at, name, instead) => {
            const document = damaged(value, at, name, instead);
            if (!isExact(schema, document)) return;
            const parsed = schema.safeParse(document);
            expect(parsed.success).toBe(true);
            expect(parsed.data).toStrictEqual(document);
          },
        ),
        { numRuns: 2000 },
      );
    },
  );

  it('isExact leaves unknown schemas to zod', () => {
    expect(isExact(z.iso.date(), '2026-01-01')).toBe(false);
    expect(isExact(z.string().check(z.minLength(1)), 'a')).toBe(false);
    expect(isExact(z.number().check(z.lt(5)), 1)).toBe(false);
    expect(
      isExact(z.union([z.object({ a: z.number() }), z.object({ a: z.number(), b: z.number() })]), {
        a: 1,
        b: 1,
      }),
    ).toBe(false);
  });
});
