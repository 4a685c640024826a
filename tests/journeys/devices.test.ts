import { AgentState, createAgentSession, defineAgent, Message } from '@vitrine/core';
import { httpSessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import type { ConflictPolicy } from '@vitrine/core/types';
import { createSessionRoutes, type ServerSessions } from '@vitrine/proxy';
import { type InferenceServer, serveInferenceProxy } from '@vitrine/proxy/node';
import { sqliteSessions } from '@vitrine/proxy/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { startUpstream, type Upstream } from '../upstream/upstream.ts';
import { axeFaults } from './axe-faults.ts';
import { demoJourneys } from './demo-journeys.ts';
import { streamOf } from './stream-of.ts';
import type { Visitor } from './visitor.ts';

let upstream: Upstream;
let store: ServerSessions;
let server: InferenceServer;
/** The user of a request, as the server accepts it. */
let headers = { 'x-user': '' };
const sessionId = 'one';
let calls = 0;
const folder = mkdtempSync(join(tmpdir(), 'vitrine-devices-'));
const demo = demoJourneys(
  async () => {
    upstream = await startUpstream();
    return { OPENAI_COMPATIBLE_BASE_URL: upstream.url, VITRINE_MODELS: 'openai-compatible:llama3.3' };
  },
  // Browsers write conflicts and refusals on the console. A session that is not there is no fault.
  {
    isLive: true,
    expected: /^Failed to load resource: .* (409 \(Conflict\)|401 \(Unauthorized\))$/,
  },
);
beforeAll(async () => {
  store = sqliteSessions({ path: join(folder, 'sessions.db') });
  const routes = createSessionRoutes({
    store,
    allowedOrigins: [new URL(demo.url()).origin],
    authorize({ headers }) {
      const id = headers.get('x-user') ?? 'nobody';
      return id === 'stranger' ? null : { id };
    },
    log: () => undefined,
  });
  server = await serveInferenceProxy(routes, { port: 0 });
});
afterAll(async () => {
  await server.close();
  await store.close();
  await upstream.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  headers = { 'x-user': `user-${crypto.randomUUID()}` };
  calls += called();
});

/** The number of model calls in this test. */
const called = (): number => upstream.bodies().filter((body) => body !== '').length - calls;

type Overtaken = {
  readonly laptop: Visitor;
  readonly phone: Visitor;
  /** A part of the answer that the laptop has shown. */
  readonly shown: string;
};

/** A browser of its own, which shares nothing with the others but the server of sessions. */
async function device(onConflict: ConflictPolicy = 'rebase'): Promise<Visitor> {
  const visitor = await demo.visit();
  await visitor.context.route('**/devices/**', (route) =>
    route.continue({ url: route.request().url().replace(demo.url(), `${server.url}/`) }),
  );
  await show(visitor, onConflict);
  return visitor;
}

async function show({ page }: Visitor, onConflict: ConflictPolicy = 'rebase'): Promise<void> {
  const file = `/@fs${root}/tests/journeys/page/show-device.tsx`;
  const props = JSON.stringify({ headers, sessionId, onConflict });
  await page.evaluate(`import(${JSON.stringify(file)}).then((it) => it.showDevice(${props}))`);
  await page.getByLabel('Message', { exact: true }).waitFor();
}

async function reload(visitor: Visitor): Promise<void> {
  await visitor.page.reload();
  await visitor.page.getByLabel('Message', { exact: true }).waitFor();
  await show(visitor);
}

/** A piece of an answer, as an OpenAI-compatible server sends it. */
function eventOf(content: string): string {
  const choices = [{ index: 0, delta: { content } }];
  return `data: ${JSON.stringify({ id: 'x', model: 'm', choices })}\n\n`;
}

/** A device that only watches calls no model. */
const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference: scriptedInference([]) });

/** The texts that the server has of each session, those that wait for their answer behind them; the shared session first. */
async function storedTexts(): Promise<readonly (readonly string[])[]> {
  const client = httpSessions({ url: server.url, headers });
  const { sessions } = await client.list();
  const ids = sessions.map(({ id }) => id).filter((id) => id !== sessionId);
  return Promise.all(
    [sessionId, ...ids].map(async (id) => {
      const session = createAgentSession({ agent, sessions: client, sessionId: id });
      await session.ready;
      const { state, queue } = session.store.getState();
      await session.dispose();
      return [...AgentState.messages(state).map(Message.text), ...queue.map(({ text }) => text)];
    }),
  );
}

/** The shared session as the server has it, with the answer that is still streaming. */
async function storedRecord(): Promise<string> {
  const record = await httpSessions({ url: server.url, headers }).load(sessionId);
  return JSON.stringify(record);
}

/** A laptop is in the midst of an answer when a phone says something, is answered, and has it stored. */
async function overtake(onConflict: ConflictPolicy): Promise<Overtaken> {
  const laptop = await device(onConflict);
  upstream.next.push({ kind: 'endless', body: eventOf('On and on. '), everyMs: 200 });
  await laptop.say('Tell me a story');
  await laptop.conversation.getByText('On and on.').waitFor();
  await expect.poll(storedRecord).toContain('On and on.');
  const phone = await device();
  await phone.conversation.getByText('Tell me a story').waitFor();
  const story = laptop.conversation.getByText(/^On and on/);
  const shown = (await story.innerText()).trim();
  upstream.next.push(streamOf('The answer to the phone.'));
  await phone.say('Here is the phone');
  await phone.conversation.getByText('The answer to the phone.', { exact: true }).waitFor();
  await phone.page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  return { laptop, phone, shown };
}

const answered = (visitor: Visitor): Promise<void> =>
  visitor.conversation.getByText('The answer to the laptop.', { exact: true }).waitFor();

describe('a person with one session on two devices', { timeout: 240_000 }, () => {
  it('a person reads that the other device went on, finds the answer in the copy, and misses nothing after a reload', async () => {
    const { laptop, phone, shown } = await overtake('rebase');
    const notice = laptop.page.getByRole('status').filter({ hasText: 'went on elsewhere' });
    const open = notice.getByRole('button', { name: 'Open the copy' });
    await open.waitFor();
    expect(called()).toBe(2);
    expect(await notice.innerText()).toContain('Your answer is kept in a copy.');
    expect(await laptop.page.getByRole('alert').count()).toBe(0);
    expect(await axeFaults(laptop.page)).toEqual([]);
    upstream.next.push(streamOf('The answer to the laptop.'));
    await laptop.say('And then?');
    await answered(laptop);
    await laptop.page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await expect.poll(async () => (await storedTexts())[0]?.at(-1)).toBe('The answer to the laptop.');
    expect(called()).toBe(3);
    const [session = [], copy = [], ...others] = await storedTexts();
    expect(others).toEqual([]);
    expect(session).toEqual([
      'Tell me a story',
      expect.stringContaining('On and on.'),
      'Here is the phone',
      'The answer to the phone.',
      'And then?',
      'The answer to the laptop.',
    ]);
    expect(copy).toEqual(['Tell me a story', expect.stringContaining(shown)]);
    await open.click();
    await laptop.conversation.getByText('The answer to the phone.').waitFor({ state: 'detached' });
    await laptop.conversation.getByText(shown).waitFor();
    await Promise.all([reload(laptop), reload(phone)]);
    for (const visitor of [laptop, phone]) {
      await answered(visitor);
      for (const said of session) expect(await visitor.conversation.innerText()).toContain(said.trim());
    }
    expect(called()).toBe(3);
  });

  it.each(['Take theirs and continue', 'Keep mine as a copy'])(
    'a person is asked what to do where the application wants that, and gets the chosen result: %s',
    async (button) => {
      const { laptop, shown } = await overtake('ask');
      const question = laptop.page.getByRole('status').filter({ hasText: 'was changed on another device' });
      await question.waitFor();
      expect(await question.getByRole('button').allInnerTexts()).toEqual([
        'Take theirs and continue',
        'Keep mine as a copy',
      ]);
      expect(await laptop.page.getByRole('alert').count()).toBe(0);
      expect(await axeFaults(laptop.page)).toEqual([]);
      expect([called(), (await storedTexts()).length]).toEqual([2, 1]);
      await question.getByRole('button', { name: button }).click();
      await question.waitFor({ state: 'detached' });
      const notice = laptop.page.getByRole('status').filter({ hasText: 'went on elsewhere' });
      await notice.getByRole('button', { name: 'Open the copy' }).waitFor();
      await laptop.conversation.getByText('The answer to the phone.', { exact: true }).waitFor();
      expect(called()).toBe(2);
      expect(await storedTexts()).toEqual([
        [
          'Tell me a story',
          expect.stringContaining('On and on.'),
          'Here is the phone',
          'The answer to the phone.',
        ],
        ['Tell me a story', expect.stringContaining(shown)],
      ]);
      await notice.getByRole('button', { name: 'Open the copy' }).click();
      await laptop.conversation.getByText('The answer to the phone.').waitFor({ state: 'detached' });
      await laptop.conversation.getByText(shown).waitFor();
    },
  );
});

it('a person who is not signed in is told so once, before typing, and the message stays in the box', async () => {
  headers = { 'x-user': 'stranger' };
  const { page } = await device();
  const alert = page.getByRole('alert');
  await alert.getByText('Sign in first.', { exact: true }).waitFor();
  expect(await page.locator('.vitrine-notice').count()).toBe(1);
  const box = page.getByLabel('Message', { exact: true });
  await box.fill('Hello');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(300);
  expect(await box.inputValue()).toBe('Hello');
  expect(await axeFaults(page)).toEqual([]);
  expect(called()).toBe(0);
});
