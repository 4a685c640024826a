import fc from 'fast-check';
import { expect, it } from 'vitest';
import { append, section, withSection } from '../graph/message-store.ts';
import { type Message, user } from '../graph/message.ts';
import { create } from '../graph/agent-state/create.ts';
import type { AgentState } from '../graph/types.ts';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { apply } from './apply.ts';
import { stateChanges } from './state-changes.ts';

const env = fixedEnv();
const message = (id: string): Message => user(id, { id }, env);

function stateOf(messages: readonly Message[]): AgentState {
  const state = create({}, env);
  return {
    ...state,
    context: { ...state.context, store: withSection({ sections: [] }, 'messages', messages) },
  };
}

/** Applies a hook's changes, made on the given state, to a later state. */
function applied(given: AgentState, returned: AgentState, moment: AgentState): string[] {
  const events = stateChanges(given, returned, 'hook', env);
  const after = events.reduce(
    (state, body, index) => apply(state, { ...body, path: [], seq: index + 1, at: env.now() }),
    moment,
  );
  return section(after.context.store).map(({ id }) => id);
}

const withMessages = (state: AgentState, messages: readonly Message[]): AgentState => ({
  ...state,
  context: { ...state.context, store: withSection(state.context.store, 'messages', messages) },
});

it('changes of a hook are applied to the current section and undo nothing that others changed', () => {
  const names = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 });
  fc.assert(
    fc.property(names, names, names, names, (before, kept, came, gone) => {
      const base = before.map(message);
      const given = stateOf(base);
      const fresh = came.map((name) => message(`new ${name}`));
      const stayed = base.filter(({ id }) => kept.includes(id));
      const half = Math.floor(stayed.length / 2);
      const returned = withMessages(given, [...stayed.slice(0, half), ...fresh, ...stayed.slice(half)]);
      const others = base.filter(({ id }) => !gone.includes(id));
      const moment = withMessages(given, [...others, message('meanwhile')]);
      const result = applied(given, returned, moment);
      expect(new Set(result).size).toBe(result.length);
      const stays = stayed.map(({ id }) => id).filter((id) => !gone.includes(id));
      expect(result.filter((id) => before.includes(id))).toEqual(stays);
      expect(result.filter((id) => id.startsWith('new '))).toEqual(fresh.map(({ id }) => id));
      expect(result).toContain('meanwhile');
    }),
    { numRuns: 500 },
  );
});

it('a message that two authors added under the same id appears once', () => {
  const given = stateOf([message('a')]);
  const both = [message('a'), message('b')];
  const [a, b] = both as [Message, Message];
  const base = stateOf([a]);
  const returned = withMessages(base, [a, b]);
  const moment = { ...base, context: { ...base.context, store: append(base.context.store, [b]) } };
  expect(applied(base, returned, moment)).toEqual(['a', 'b']);
  expect(applied(given, given, given)).toEqual(['a']);
});

it('messages reordered by a hook keep that order beside messages added meanwhile', () => {
  const orders = fc.shuffledSubarray([...'abcdef'], { minLength: 6 });
  fc.assert(
    fc.property(orders, (order) => {
      const given = stateOf([...'abcdef'].map(message));
      const moment = withMessages(given, [...section(given.context.store), message('meanwhile')]);
      const returned = withMessages(
        given,
        order.map((name) => section(given.context.store).find(({ id }) => id === name) as Message),
      );
      const result = applied(given, returned, moment);
      expect(result.filter((id) => id !== 'meanwhile')).toEqual(order);
      expect(result).toContain('meanwhile');
    }),
  );
});

it('a message that a hook added is copied into a shape that can be saved', () => {
  const given = stateOf([]);
  const metadata = { at: new Date(0), list: [1] };
  const odd = { role: 'user', parts: [{ type: 'text', text: 'x' }], metadata } as unknown as Message;
  const [body] = stateChanges(given, withMessages(given, [odd]), 'hook', env);
  metadata.list.push(2);
  const after = apply(given, { ...body!, path: [], seq: 1, at: env.now() });
  expect(section(after.context.store)).toMatchObject([
    {
      id: expect.stringMatching(/./),
      parentId: null,
      metadata: { at: '1970-01-01T00:00:00.000Z', list: [1] },
    },
  ]);
});

it('a metadata key that a hook removed is gone', () => {
  const given = create({ metadata: { a: 1, b: 2 } }, env);
  const returned = { ...given, context: { ...given.context, metadata: { b: 2 } } };
  const [body] = stateChanges(given, returned, 'hook', env);
  const after = apply(given, { ...body!, path: [], seq: 1, at: env.now() });
  expect(after.context.metadata).toEqual({ b: 2 });
});

it('a message that only gains metadata or parts erases nothing, and one that loses or changes some is erased', () => {
  const first = { ...message('a'), metadata: { mark: 'a' } };
  const erasedWith = (next: Message): unknown => {
    const given = stateOf([first]);
    const events = stateChanges(given, withMessages(given, [next]), 'app', env, { isErasing: true });
    return events.map((event) => ('erased' in event ? event.erased : null));
  };
  expect(erasedWith({ ...first, metadata: { mark: 'a', more: true } })).toEqual([null]);
  const data = { type: 'data', name: 'suggestions', data: ['More'] } as const;
  expect(erasedWith({ ...first, parts: [...first.parts, data] })).toEqual([null]);
  expect(erasedWith({ ...first, parts: [data, ...first.parts] })).toEqual([['a']]);
  expect(erasedWith({ ...first, metadata: { mark: null } })).toEqual([['a']]);
  expect(erasedWith({ ...first, metadata: { mark: 'b' } })).toEqual([['a']]);
  expect(erasedWith({ ...first, metadata: {} })).toEqual([['a']]);
  expect(erasedWith({ ...first, parts: [{ type: 'text', text: 'b' }] })).toEqual([['a']]);
});
