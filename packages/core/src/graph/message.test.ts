import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message as Msg } from './message.ts';
import * as Message from './message.ts';
import { compile } from './message-store.ts';
import * as MessageStore from './message-store.ts';
import { pairToolCalls } from './pair-tool-calls.ts';

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

describe('the metadata of a message', () => {
  it('a message stays the same object when its metadata is equal', () => {
    const message = Message.user('x', { metadata: { a: 1 } });
    expect(Message.withMetadata(message, { a: 1 })).toBe(message);
  });
});

describe('the sections of a store', () => {
  it('sections are compiled once, and stay the same when nothing is added', () => {
    expect(compile(store)).toBe(compile(store));
    expect(MessageStore.withSection(store, 'nope', [])).toBe(store);
  });

  it('sections that a change does not touch are shared', () => {
    const next = MessageStore.append(store, [Message.user('x')]);
    expect(next.sections.find(({ name }) => name === 'summary')).toBe(
      store.sections.find(({ name }) => name === 'summary'),
    );
  });
});

describe('the pairing of calls with results', () => {
  const call = (id: string): Msg =>
    Message.assistant([
      { type: 'tool-call', toolCallId: id, toolName: 't', input: {}, providerCallId: null },
    ]);
  const result = (id: string): Msg => Message.tool({ toolCallId: id, toolName: 't', output: 'x' });

  it('pairing leaves a valid list unchanged', () => {
    const fit = [recent, call('a'), result('a'), recent];
    expect(pairToolCalls(fit)).toBe(fit);
  });

  it('pairing makes any list valid for a provider', () => {
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
