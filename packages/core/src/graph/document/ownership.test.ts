import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromJSON, toJSON } from './agent-state.ts';
import * as ExecutionDocument from './execution-state.ts';
import { create } from '../agent-state/create.ts';
import { withStopSignal } from '../agent-state/transitions.ts';
import type { ExecutionState, AgentState } from '../types.ts';
import * as StopSignal from '../stop-signal.ts';
import { user } from '../message.ts';

type Document = { [field: string]: unknown };

const metadata = (): { tags: string[] } => ({ tags: ['a'] });
const parts = [
  { type: 'text', text: 'Hello', providerMetadata: { x: { y: [1] } } },
  { type: 'data', name: 'row', data: { n: [1] } },
] as const;

function fullState(): AgentState {
  const state = create({
    metadata: metadata(),
    messages: [{ ...user([...parts]), metadata: metadata() }],
    llmConfig: { model: 'm', settings: { stop: ['x'] }, prices: { m: { input: 1, output: 2 } } },
    responseFormat: { type: 'json', schema: { type: 'object', required: ['a'] } },
  });
  const withPlugin = { ...state, plugins: { memo: { version: 1, revision: 1, data: { list: [1] } } } };
  return withStopSignal(withPlugin, StopSignal.of('unknown', { context: { at: [1] } }));
}

const text = (state: AgentState): string => JSON.stringify(toJSON(state));

describe('the documents of toJSON', () => {
  it('toJSON returns a document that may be changed without changing the state', () => {
    const state = fullState();
    const before = JSON.stringify(state);
    const document = toJSON(state);

    scribble(document);

    expect(JSON.stringify(state)).toBe(before);
    expect(text(state)).not.toContain('scribble');
  });

  it('toJSON rejects a value that could not be read again', () => {
    const unwritable = { ...create(), plugins: { memo: { version: 1, revision: 1, data: nest(3_000) } } };

    expect(() => toJSON(unwritable as AgentState)).toThrow(
      expect.objectContaining({
        code: 'state-invalid',
        message: expect.stringMatching(/at plugins\.memo\.data\.a\.a.*nested deeper than 1000 levels/),
      }),
    );
  });
});

describe('the states of fromJSON', () => {
  it('fromJSON neither freezes the document nor keeps a part of it', () => {
    const document = JSON.parse(text(fullState())) as Document;
    const state = fromJSON(document);
    const before = JSON.stringify(state);

    expect(state).toEqual(fullStateLike(state));
    expect(frozen(document)).toEqual([]);
    scribble(document);
    expect(JSON.stringify(state)).toBe(before);
  });

  it('fromJSON does not freeze the document of an execution', () => {
    const document = ExecutionDocument.toJSON(fullState().execution as ExecutionState);

    ExecutionDocument.fromJSON(document);

    expect(frozen(document)).toEqual([]);
  });

  it.each([
    ['metadata', (document: Document, deep: unknown) => (document['metadata'] = deep), 'metadata.a.a'],
    [
      'plugin state',
      (document: Document, deep: unknown) =>
        (document['plugins'] = { p: { version: 1, revision: 0, data: deep } }),
      'plugins.p.data.a',
    ],
    ['what no version knows', (document: Document, deep: unknown) => (document['later'] = deep), 'later.a.a'],
  ])('fromJSON names the path of a value nested too deep: in %s', (_title, put, path) => {
    for (const depth of [1_001, 3_000, 100_000]) {
      const document = JSON.parse(text(fullState())) as Document;
      put(document, nest(depth));

      expect(() => fromJSON(document)).toThrow(
        expect.objectContaining({ code: 'state-invalid', message: expect.stringContaining(`at ${path}`) }),
      );
    }
  });

  it('fromJSON reads values of the greatest allowed depth, causes of errors included', () => {
    const document = JSON.parse(text(fullState())) as Document;
    document['metadata'] = nest(990);
    let cause: Document = { name: 'Error', message: 'root' };
    for (let depth = 0; depth < 900; depth++) cause = { name: 'Error', message: '', cause };
    (document['execution'] as Document)['errors'] = [cause];

    const state = fromJSON(document);

    expect(JSON.stringify(state.context.metadata)).toBe(JSON.stringify(nest(990)));
    expect(fromJSON(toJSON(state))).toEqual(state);
  });

  it('fromJSON rejects a value that is no JSON, by its path', () => {
    const document = { ...toJSON(fullState()), metadata: { at: new Date(0) } };

    expect(() => fromJSON(document)).toThrow(/at metadata\.at: expected JSON/);
  });

  it('fromJSON leaves out the secrets that an older version saved, and reports their paths', () => {
    const document = JSON.parse(text(fullState())) as Document;
    document['llmConfig'] = {
      model: 'm',
      settings: { temperature: 1, openai: { apiKey: 'sk-planted-key' } },
    };
    const warnings: string[] = [];

    const state = fromJSON(document, undefined, (path) => warnings.push(path));

    expect(state.llmConfig?.settings).toEqual({ temperature: 1, openai: {} });
    expect(warnings).toEqual(['llmConfig.settings.openai.apiKey']);
    expect(text(state)).not.toContain('planted');
  });
});

describe('values that an application puts into a state', () => {
  it('any value of an application is read back equal after it was saved', () => {
    const fields = fc.constantFrom(
      ...'text name data toolCallId toolName input output outcome durationMs mediaType url blob filename'.split(
        ' ',
      ),
      ...'providerMetadata providerCallId id title isError'.split(' '),
    );
    const types = 'text reasoning data tool-call tool-result file source video'.split(' ');
    const part = fc
      .tuple(fc.constantFrom(...types), fc.dictionary(fields, fc.oneof(fc.string(), anything)))
      .map(([type, rest]): unknown => ({ ...rest, type }));
    const message = fc.record({
      id: fc.oneof(fc.constantFrom('a', ''), anything),
      role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
      parts: fc.array(fc.oneof(part, anything), { maxLength: 4 }),
      metadata: anything,
      createdAt: anything,
      parentId: anything,
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), anything, anything, (messages, metadata, schema) => {
        const state = create({
          messages: messages as never,
          metadata: metadata as never,
          responseFormat: { type: 'json', schema: { given: schema } as never },
        });

        expect(fromJSON(JSON.parse(text(state)))).toEqual(state);
      }),
      { numRuns: 300 },
    );
  });
});

const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });

/** The same state after a round trip through text. */
function fullStateLike(state: AgentState): AgentState {
  return JSON.parse(JSON.stringify(state)) as AgentState;
}

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

/** Changes every object of the value. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const child of Object.values(value)) scribble(child);
  if (Array.isArray(value)) value.push('scribble');
  else Object.assign(value, { scribble: true });
}

/** All frozen objects inside the value. */
function frozen(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Object.isFrozen(value) ? [value] : []), ...Object.values(value).flatMap(frozen)];
}
