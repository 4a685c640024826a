import { AgentState, createAgentSession, defineAgent, Message } from '@vitrine/core';
import { exportSession, memorySessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import { expect, it } from 'vitest';
import { redactRequests } from './redact-requests.ts';
import { titleFrom } from './titles.ts';

type Asked = { readonly model: string | null; readonly text: string };

/** A session whose model answers with "Hello", and gives titles in their order. */
function sessionWith(titles: readonly (string | null)[], options: Parameters<typeof titleFrom>[0] = {}) {
  const asked: Asked[] = [];
  const inference = scriptedInference([
    ({ model, messages }) => {
      if (!Message.text(messages[0]!).startsWith('You give'))
        return { text: 'Hello', usage: { outputTokens: 3 } };
      asked.push({ model, text: Message.text(messages.at(-1)!) });
      const title = titles[asked.length - 1];
      return title == null ? { error: { message: 'down' } } : { text: title, usage: { outputTokens: 5 } };
    },
  ]);
  const sessions = memorySessions();
  const detect = (text: string) =>
    (text.match(/[a-z]+@post\.ch/g) ?? []).map((value) => ({ kind: 'email', value }));
  const agent = defineAgent({
    name: 'helper',
    inference,
    plugins: [redactRequests({ detect }), titleFrom(options)],
  });
  const open = () => createAgentSession({ agent, sessions, sessionId: 'a' });
  return { asked, sessions, open };
}
const titleOf = (session: ReturnType<ReturnType<typeof sessionWith>['open']>): string =>
  session.store.getState().title;

it.each([
  ['A trip to Bern', 'A trip to Bern'],
  ['  **"A trip to Bern"**  \n\nIs that good?', 'A trip to Bern'],
  ['x'.repeat(500), `${'x'.repeat(59)}…`],
  [null, 'How do I get to Bern?'],
  ['""', 'How do I get to Bern?'],
])('the title %j names a session once, also after a reload', async (given, shown) => {
  const { asked, sessions, open } = sessionWith([given, 'Another']);
  const session = open();
  await session.sendMessage('How do I get to Bern?');
  expect(titleOf(session)).toBe(shown);
  await session.sendMessage('And back?');
  expect(asked).toEqual([{ model: null, text: 'Question:\nHow do I get to Bern?\n\nAnswer:\nHello' }]);
  const turn = await session.sendMessage('Again');
  expect(turn.status).toBe('done');
  await session.dispose();
  const { sessions: [listed] = [] } = await sessions.list();
  expect(listed?.title).toBe(shown);
  const again = open();
  await again.sendMessage('Once more');
  expect(titleOf(again)).toBe(shown);
  expect(asked).toHaveLength(1);
  await again.dispose();
  expect(JSON.stringify(await exportSession(sessions, 'a'))).toContain(shown);
});

it('a title that a person gave before or behind the call stays', async () => {
  for (const isBefore of [true, false]) {
    const { sessions, open } = sessionWith(['A trip']);
    const session = open();
    if (isBefore) await session.rename('Mine');
    await session.sendMessage('How do I get to Bern?');
    if (!isBefore) await session.rename('Mine');
    await session.dispose();
    const again = open();
    await again.sendMessage('And back?');
    expect(titleOf(again)).toBe('Mine');
    await again.dispose();
    expect((await sessions.list()).sessions[0]?.title).toBe('Mine');
  }
});

it('the call has a model of its own, counts in the usage, and sees names in place of what is hidden', async () => {
  const { asked, open } = sessionWith(['A letter'], { model: 'small' });
  const session = open();
  await session.sendMessage('Write to ann@post.ch');
  expect(asked[0]?.model).toBe('small');
  expect(asked[0]?.text).toMatch(/^Question:\nWrite to \[EMAIL_/);
  expect(AgentState.usage(session.store.getState().state).outputTokens).toBe(8);
  await session.dispose();
});
