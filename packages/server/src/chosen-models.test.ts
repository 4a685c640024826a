import { join } from 'node:path';
import {
  type AgentDefinition,
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  type JsonObject,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { agentServer } from '@vitrine/react/server';
import { scriptedInference } from '@vitrine/testing';
import { expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { type AgentServerOptions, createAgentServer } from './create-agent-server.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

const url = 'http://localhost/api';

/** A server whose agent notes what its requests ask for, and the sessions of a person there. */
function serve(
  allowModel?: AgentServerOptions<Record<string, AgentDefinition>>['allowModel'],
  settings: JsonObject = {},
) {
  const asked: (readonly [string | null, unknown])[] = [];
  const inference = scriptedInference([
    ({ model, settings }) => {
      asked.push([model, settings['reasoning']]);
      return { text: 'Done.' };
    },
  ]);
  const clerk = defineAgent({ name: 'clerk', inference, llmConfig: { model: 'own', settings } });
  const server = createAgentServer({
    agents: { clerk },
    host: sqliteHost({ path: join(folderOfTest('server'), 'sessions.db') }),
    lingerMs: 50,
    log: () => undefined,
    authorize: ({ headers }) => ({ id: headers.get('authorization') ?? '' }),
    ...(allowModel && { allowModel }),
  });
  onTestFinished(() => server.stop({ graceMs: 1000 }));
  const fetch: typeof globalThis.fetch = (input, init) => server.fetch(new Request(input, init));
  const open = (name: string): AgentSession => {
    const { agents, sessions } = agentServer<typeof server>({ url, fetch, headers: { authorization: name } });
    const session = createAgentSession({ agent: agents.clerk, sessions, sessionId: 's1' });
    onTestFinished(async () => void (await session.dispose()));
    return session;
  };
  return {
    asked,
    open,
    clerk,
    remote: () => agentServer({ url, fetch, headers: { authorization: 'anna' } }),
  };
}

it('a model that a person may choose answers from the next turn on, also when its session slept meanwhile', async () => {
  const { asked, open } = serve((model, { id }) => id === 'anna' && ['small', 'large'].includes(model));
  const anna = open('anna');
  // Nothing was said yet, so the choice alone is kept.
  await anna.chooseModel({ model: 'large', reasoning: 'high' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await anna.sendMessage('Hello');
  await anna.sendMessage('And now?', { model: 'small' });
  await anna.regenerate();
  await anna.chooseModel({ model: null });
  const phone = open('anna');
  await phone.ready;
  await expect.poll(() => AgentState.messages(phone.store.getState().state)).toHaveLength(4);
  await phone.sendMessage('Again');
  expect(asked).toEqual([
    ['large', 'high'],
    ['small', 'high'],
    ['large', 'high'],
    ['own', undefined],
  ]);
});

it.each<[string, Parameters<typeof serve>[0]]>([
  ['that says nothing about models', undefined],
  ['that allows others', (model) => model === 'small'],
  ['that allows it to others', async (_, { id }) => id === 'ben'],
])('a server %s refuses a model in a sentence, and asks none of it', async (_what, allowModel) => {
  const { asked, open } = serve(allowModel);
  const anna = open('anna');
  const refused = { code: 'model-not-allowed', message: expect.stringContaining('"dear"') as string };
  await expect(anna.chooseModel({ model: 'dear' })).rejects.toMatchObject(refused);
  expect(await anna.sendMessage('Hello', { model: 'dear' })).toMatchObject({ error: refused });
  await anna.sendMessage('Hello');
  expect(await anna.regenerate(undefined, { model: 'dear' })).toMatchObject({ error: refused });
  expect(asked).toEqual([['own', undefined]]);
});

it('a server that allows no model keeps the reasoning of its agent too', async () => {
  const { asked, open } = serve(undefined, { reasoning: 'off' });
  const anna = open('anna');
  const refused = { code: 'model-not-allowed', message: expect.stringContaining('"own"') as string };
  await expect(anna.chooseModel({ model: null, reasoning: 'high' })).rejects.toMatchObject(refused);
  await anna.chooseModel({ model: null });
  await anna.sendMessage('Hello');
  expect(asked).toEqual([['own', 'off']]);
});

it('a session that moves to a server leaves the models behind that were chosen in its page', async () => {
  const { asked, clerk, open, remote } = serve(() => true);
  const page = createAgentSession({ agent: clerk, sessions: memorySessions(), sessionId: 's1' });
  await page.sendMessage('Hello');
  await page.chooseModel({ model: 'dear', reasoning: 'high' });
  await page.moveTo(remote().sessions);
  const there = open('anna');
  await there.sendMessage('Still there?');
  expect(asked).toEqual([
    ['own', undefined],
    ['own', undefined],
  ]);
});
