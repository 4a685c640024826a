import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Env, systemEnv } from './env.ts';
import { type Message, user, type MessagePart } from './message.ts';
import { knownMessage, normalizeMessage, normalizeMessages } from './normalize-message.ts';

/** An Env with ids `id-1`, `id-2`, ... and a clock that stays at 1,000. */
function testEnv(): Env {
  let made = 0;
  return { ...systemEnv, now: () => 1_000, id: () => `id-${++made}` };
}

const parts = (raw: unknown[]): readonly MessagePart[] =>
  normalizeMessage({ role: 'user', parts: raw }, testEnv()).parts;

describe('the normal form of a message', () => {
  it('normalizeMessage copies a message, so that later changes by the application have no effect', () => {
    const raw = { ...user('Hello'), metadata: { tags: ['a'] } };
    const message = normalizeMessage(raw);

    expect(message).toStrictEqual(raw);
    raw.metadata.tags.push('b');
    (raw.parts as MessagePart[]).push({ type: 'text', text: 'more' });
    expect(message).toMatchObject({ parts: [{ text: 'Hello' }], metadata: { tags: ['a'] } });
    expect(Object.isFrozen(raw)).toBe(false);
    expect(Object.isFrozen(message.metadata['tags'])).toBe(true);
  });

  it('normalizeMessage returns a message that it made, or that the library marked as known, unchanged', () => {
    const message = normalizeMessage(user('Hello'));
    const ours = knownMessage(user('Hello'));

    expect(normalizeMessage(message)).toBe(message);
    expect(normalizeMessage(ours)).toBe(ours);
  });

  it('normalizeMessage adds missing fields', () => {
    expect(normalizeMessage({ role: '', parts: 'Hello' }, testEnv())).toStrictEqual({
      id: 'id-1',
      role: 'user',
      parts: [{ type: 'text', text: 'Hello' }],
      metadata: {},
      createdAt: 1_000,
      parentId: null,
    });
    expect(normalizeMessage({ id: '', role: 'user', parts: [] }, testEnv()).id).toBe('id-1');
    expect(normalizeMessage({ id: 7, role: 'user', parts: [] }, testEnv()).id).toBe('id-1');
  });

  it.each([
    [12.6, 13],
    [new Date(5), 5],
    [-0.2, 0],
    [Number.NaN, 1_000],
    [1e300, 1_000],
    ['2020-01-01', 1_000],
  ])('normalizeMessage reads the time %s as %s', (createdAt, expected) => {
    expect(normalizeMessage({ role: 'user', parts: [], createdAt }, testEnv()).createdAt).toBe(expected);
  });

  it('normalizeMessage copies metadata as JSON', () => {
    const metadata = { at: new Date(0), seen: new Set([1]), none: undefined };

    expect(normalizeMessage({ role: 'user', parts: [], metadata }).metadata).toStrictEqual({
      at: '1970-01-01T00:00:00.000Z',
      seen: '[Set]',
    });
    expect(normalizeMessage({ role: 'user', parts: [], metadata: [1] }).metadata).toStrictEqual({});
  });

  it.each([
    [null, 'object with a role'],
    ['Hello', 'object with a role'],
    [[], 'object with a role'],
    [{ parts: [] }, 'has the role undefined'],
    [{ role: 'robot', parts: [] }, 'has the role "robot"'],
    [{ role: 'user' }, 'no list of parts'],
    [{ role: 'user', parts: {} }, 'no list of parts'],
    [
      Object.defineProperty({}, 'role', {
        get: () => {
          throw new Error('no');
        },
      }),
      'cannot be read',
    ],
  ])('normalizeMessage rejects a value that is no message: %j', (raw, what) => {
    expect(() => normalizeMessage(raw)).toThrow(
      expect.objectContaining({ code: 'message-invalid', message: expect.stringContaining(what) }),
    );
  });

  it('normalizeMessage drops invalid parts', () => {
    const torn = Object.defineProperty({}, 'type', {
      get: () => {
        throw new Error('no');
      },
    });
    const kept: MessagePart = { type: 'text', text: 'Hello' };

    expect(
      parts([null, 'text', { type: 'video' }, { type: 'toString' }, { type: 'text', text: 5 }, torn, kept]),
    ).toStrictEqual([kept]);
    expect(parts([{ type: 'reasoning' }, { type: 'file', mediaType: 'image/png' }])).toStrictEqual([]);
  });

  it('normalizeMessage repairs the parts of a tool call', () => {
    expect(
      parts([
        {
          type: 'tool-call',
          toolCallId: 'a',
          toolName: 'search',
          input: { at: new Date(0) },
          providerCallId: 5,
        },
        { type: 'tool-call', toolCallId: 5, providerMetadata: { google: { signature: 'x' } } },
        { type: 'tool-result', toolCallId: 'a', toolName: 'search', output: 5n, durationMs: Number.NaN },
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'search',
          output: 'no',
          isError: true,
          durationMs: 3.5,
        },
        { type: 'tool-result', toolCallId: 'a', toolName: 'search', outcome: 'rejected', isError: true },
      ]),
    ).toStrictEqual([
      {
        type: 'tool-call',
        toolCallId: 'a',
        toolName: 'search',
        input: { at: '1970-01-01T00:00:00.000Z' },
        providerCallId: null,
      },
      {
        type: 'tool-call',
        toolCallId: '',
        toolName: '',
        input: {},
        providerCallId: null,
        providerMetadata: { google: { signature: 'x' } },
      },
      { ...result, output: '[BigInt 5]', outcome: 'completed', durationMs: null },
      { ...result, output: 'no', outcome: 'failed', durationMs: 3.5 },
      { ...result, output: null, outcome: 'rejected', durationMs: null },
    ]);
  });

  it('normalizeMessage repairs files, sources and data', () => {
    expect(
      parts([
        { type: 'file', blob: { hash: 'ab'.repeat(32), size: 3, more: 1 }, filename: 5 },
        { type: 'file', blob: 'hash' },
        { type: 'file', blob: { hash: '../etc', size: 3 } },
        { type: 'file', blob: { hash: 'ab'.repeat(32), size: -1 } },
        { type: 'source', url: 5 },
        { type: 'data', name: 'row', data: { at: undefined, n: 1 } },
        { type: 'data' },
      ]),
    ).toStrictEqual([
      {
        type: 'file',
        mediaType: 'application/octet-stream',
        blob: { hash: 'ab'.repeat(32), size: 3 },
        filename: null,
      },
      { type: 'source', id: '', url: null, title: null },
      { type: 'data', name: 'row', data: { n: 1 } },
      { type: 'data', name: '', data: null },
    ]);
  });

  it('normalizeMessage makes of any fields a message that survives JSON and is read back unchanged', () => {
    const types = ['text', 'reasoning', 'data', 'tool-call', 'tool-result', 'file', 'source'];
    const fields = fc.constantFrom(
      ...'text name data toolCallId toolName input output outcome durationMs mediaType url blob'.split(' '),
      'providerMetadata',
    );
    const part = fc
      .tuple(fc.constantFrom(...types), fc.dictionary(fields, fc.oneof(fc.string(), anything)))
      .map(([type, rest]): unknown => ({ ...rest, type }));
    const raw = fc.record({
      id: anything,
      role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
      parts: fc.array(fc.oneof(part, anything)),
      metadata: anything,
      createdAt: anything,
      parentId: anything,
    });
    fc.assert(
      fc.property(raw, (value) => {
        const message = normalizeMessage(value);
        const stored = JSON.parse(JSON.stringify(message)) as unknown;

        expect(stored).toStrictEqual(message);
        expect(normalizeMessage(stored)).toStrictEqual(message);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the normal form of a list of messages', () => {
  it('normalizeMessages gives the second of two messages with one id a new id', () => {
    const message = normalizeMessage({ ...user('Hello'), id: 'same' });
    const list = normalizeMessages([message, message, { ...user('Again'), id: 'same' }], testEnv());

    expect(list.map(({ id }) => id)).toEqual(['same', 'id-1', 'id-2']);
    expect(list[0]).toBe(message);
    expect(normalizeMessage(list[1])).toBe(list[1]);
  });

  it('normalizeMessages names the position of a value that is no message', () => {
    expect(() => normalizeMessages([user('Hello'), { role: 'robot', parts: [] }])).toThrow(
      expect.objectContaining({ code: 'message-invalid', data: { place: 'messages[1]', got: '"robot"' } }),
    );
    expect(() => normalizeMessages('Hello')).toThrow(expect.objectContaining({ code: 'message-invalid' }));
    expect(() => normalizeMessages(Array(1))).toThrow(expect.objectContaining({ code: 'message-invalid' }));
  });

  it('normalizeMessages returns a frozen list of known messages unchanged, and copies a mutable list', () => {
    const own: Message[] = [normalizeMessage(user('Hello'))];
    const list = normalizeMessages(own);

    expect(list).not.toBe(own);
    expect(list).toEqual(own);
    const frozen = Object.freeze([...own]);
    expect(normalizeMessages(frozen)).toBe(frozen);
  });
});

const result = { type: 'tool-result', toolCallId: 'a', toolName: 'search' };
const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });
