import { expect, it } from 'vitest';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import type { MakeStore } from './store-under-test.ts';
import { testSessionStore } from './test-session-store.ts';

it.each([
  [undefined, 'undefined'],
  [{ store: memorySessions() }, 'a value of type object'],
  [memorySessions(), 'a store'],
])('the suite says at once that it was given no function (%#)', (make, given) => {
  const call = (): unknown => testSessionStore(make as unknown as MakeStore);
  expect(call).toThrow(
    `testSessionStore was given ${given}, and needs a function that makes an empty store. Call it as testSessionStore(() => ({ store: myStore() })).`,
  );
  expect(call).toThrow(expect.objectContaining({ code: 'agent-invalid' }));
});

const { outbox: _outbox, takeEpoch: _takeEpoch, ...part } = memorySessions();

it.each([
  [() => undefined, 'made undefined instead of { store }'],
  [() => memorySessions(), 'made a store itself; put it into an object'],
  [() => ({}), 'made an object whose store is undefined instead of { store }'],
  [async () => ({ store: null }), 'made an object whose store is null instead of { store }'],
  [() => ({ store: part }), 'has no takeEpoch, outbox.put, outbox.take, outbox.drop. Every'],
])('every check says what is wrong with what a maker made (%#)', async (make, sentence) => {
  for (const { run } of testSessionStore(make as unknown as MakeStore))
    await expect(run()).rejects.toThrow(sentence);
});
