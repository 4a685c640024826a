import { expect, it } from 'vitest';
import { createReplies } from './replies.ts';
import { refusalOf } from './machine/transition.ts';

const error = refusalOf('session-disposed', 'This session was closed.');
const command = {
  message: { text: '' },
  options: {},
  onBusy: 'queue',
  update: (state: never) => state,
} as const;

it('refused commands settle: turns as refused, changes reject, and others resolve with null', async () => {
  const replies = createReplies();
  const types = ['send', 'answer', 'update', 'reset', 'stop'] as const;
  const promises = types.map((type) => replies.expect(type));
  replies.refuse(types.map((type) => ({ ...command, type, id: type })) as never, error);
  const told = await Promise.allSettled(promises);
  expect(told).toMatchObject([
    { status: 'fulfilled', value: { kind: 'send', status: 'refused', error: { code: 'session-disposed' } } },
    { status: 'fulfilled', value: { kind: 'answer', status: 'refused' } },
    { status: 'rejected', reason: { code: 'session-disposed' } },
    { status: 'rejected', reason: { code: 'session-disposed' } },
    { status: 'fulfilled', value: null },
  ]);
});

it('one command with several callers resolves for all of them', async () => {
  const replies = createReplies();
  const promises = [replies.expect('a'), replies.expect('a')];
  replies.resolve('a', null);
  expect(await Promise.all(promises)).toEqual([null, null]);
});
