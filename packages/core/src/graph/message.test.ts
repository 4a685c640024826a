import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message as Msg } from './message.ts';
import * as Message from './message.ts';
import * as MessageStore from './message-store.ts';
import { pairToolCalls } from '../agent/pair-tool-calls.ts';
import { toolResultText } from './tool-result-text.ts';

const [summary, buffer, recent] = ['SUMMARY', 'BUFFER', 'RECENT'].map((text) => Message.user(text)) as [
  Msg,
  Msg,
  Msg,
];
const store = MessageStore.of([
  { name: 'messages', messages: [recent] },
  { name: 'buffer', messages: [buffer] },
  { name: 'summary', messages: [summary] },
]);

describe('a message', () => {
  it('case 136: has a role that exists; an empty one is the user', () => {
    expect(() => Message.of('robot' as never, 'x')).toThrow(/"robot" is unknown/);
    expect(Message.of('', 'x').role).toBe('user');
  });

  it('case 137: keeps its id and time through changes', () => {
    const message = Message.user('x');
    const changed = Message.withMetadata(message, { a: 1 });
    expect(changed).toMatchObject({ id: message.id, createdAt: message.createdAt, metadata: { a: 1 } });
    expect(Message.withMetadata(changed, { a: 1 })).toBe(changed);
  });

  it('case 123: shows results as text, strings as they are', () => {
    expect(['str', { a: 1 }, [1], null, true, 42].map(toolResultText)).toEqual([
      'str',
      '{"a":1}',
      '[1]',
      'null',
      'true',
      '42',
    ]);
  });
});

describe('sections', () => {
  it('case 133: are compiled in their order, whatever order they came in', () => {
    expect(MessageStore.compile(store)).toEqual([summary, buffer, recent]);
    expect(MessageStore.compile(store, ['summary', 'buffer', 'messages', 'nope'])).toEqual([
      summary,
      buffer,
      recent,
    ]);
    expect(MessageStore.compile(store, [])).toEqual([recent]);
    expect(MessageStore.compile(store, ['nope'])).toEqual([]);
    expect(MessageStore.compile(store)).toBe(MessageStore.compile(store));
  });

  it('case 135: that are missing are empty; appending nothing changes nothing; names are unique', () => {
    expect(MessageStore.section(store, 'nope')).toEqual([]);
    expect(MessageStore.append(store, [])).toBe(store);
    expect(MessageStore.withSection(store, 'nope', [])).toBe(store);
    expect(() => MessageStore.of([...store.sections, { name: 'buffer', messages: [] }])).toThrow(
      /"buffer" is given twice/,
    );
  });

  it('keep the branches that a change does not touch', () => {
    const next = MessageStore.append(store, [Message.user('x')]);
    expect(next.sections.find(({ name }) => name === 'summary')).toBe(
      store.sections.find(({ name }) => name === 'summary'),
    );
  });
});

describe('pairing calls with results', () => {
  const call = (id: string): Msg =>
    Message.assistant([
      { type: 'tool-call', toolCallId: id, toolName: 't', input: {}, providerCallId: null },
    ]);
  const result = (id: string): Msg => Message.tool({ toolCallId: id, toolName: 't', output: 'x' });

  it('leaves a list alone that is fit already', () => {
    const fit = [recent, call('a'), result('a'), recent];
    expect(pairToolCalls(fit)).toBe(fit);
  });

  it('makes any list fit for a provider', () => {
    const piece = fc.tuple(fc.constantFrom('user', 'call', 'result'), fc.constantFrom('a', 'b', 'c'));
    fc.assert(
      fc.property(
        fc.uniqueArray(piece, {
          selector: ([kind, id]) => (kind === 'user' ? Math.random() : kind + id),
          maxLength: 12,
        }),
        (pieces) => {
          const list = pieces.map(([kind, id]) =>
            kind === 'user' ? Message.user('x') : kind === 'call' ? call(id) : result(id),
          );
          const paired = pairToolCalls(list);
          expect(pairToolCalls(paired)).toBe(paired);
          const kept = paired.filter((message) => message.role !== 'tool');
          expect(kept).toEqual(list.filter((message) => message.role !== 'tool'));
        },
      ),
    );
  });
});
