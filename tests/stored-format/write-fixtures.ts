import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  type AgentInit,
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  defineHook,
  definePlugin,
  defineTool,
  loadedSession,
  Message,
} from '@vitrine/core';
import { exportSession, localStorageSessions, type FullSessionStore } from '@vitrine/persist';
import { fakeTool, type ScriptedStep, scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
import { root } from '../../scripts/root.ts';
import { besideOf, factsOf, removedId } from './session-facts.ts';
import { textsOf, textStorage } from './text-storage.ts';

// Writes sessions of several kinds in the present format, once: what is there is never written again, because it has
// to load for ever. After a change of the format run it under new names: `node --conditions=@vitrine/source
// tests/stored-format/write-fixtures.ts v2`.

const folder = `${root}/tests/fixtures/sessions`;
const suffix = process.argv[2] === undefined ? '' : `-${process.argv[2]}`;
const usage = { inputTokens: 12, outputTokens: 7 };

type Notes = { readonly notes: readonly string[] };

const notes = definePlugin({
  id: 'notes',
  version: 3,
  state: z.object({ notes: z.array(z.string()) }),
  initial: { notes: [] },
  tools: [
    defineTool({
      name: 'note',
      description: 'Notes something',
      input: z.object({ text: z.string() }),
      execute: ({ text }, ctx) => {
        ctx.own<Notes>().update((state) => ({ notes: [...(state?.notes ?? []), text] }));
        return 'noted';
      },
    }),
  ],
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  input: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
});
/** A tool that takes the text of a number, and holds the page for longer than a detector allows. */
const count = defineTool({
  name: 'count',
  description: 'Counts',
  input: z.object({ to: z.coerce.number() }),
  execute({ to }) {
    const start = performance.now();
    while (performance.now() - start < 60) continue;
    return to;
  },
});
const clock = definePlugin({
  id: 'clock',
  state: z.number(),
  initial: 0,
  prepare: () => ({ instructions: 'It is noon.' }),
});
const meddling = [
  defineHook({
    name: 'rewriter',
    on: 'before-inference',
    run: (_state, ctx) =>
      ctx.fields.request && ctx.replace('request', { ...ctx.fields.request, settings: { temperature: 1 } }),
  }),
  defineHook({
    name: 'editor',
    on: 'after-inference',
    run: (_state, ctx) =>
      ctx.fields.response && ctx.replace('response', { ...ctx.fields.response, model: 'edited' }),
  }),
  defineHook({
    name: 'warden',
    on: 'before-tool-use',
    run: (_state, ctx) => (ctx.fields.toolCall?.name === 'look' ? ctx.block('It is private') : undefined),
  }),
];
const form = defineTool({ name: 'form', description: 'Asks', input: z.object({}), output: z.string() });
const never = fakeTool('slow', () => new Promise(() => undefined));

type Play = {
  readonly steps: readonly ScriptedStep[];
  readonly agent?: Partial<AgentInit>;
  /** The principal to whom the session belongs, as on a server. */
  readonly owner?: string;
  readonly act: (session: AgentSession) => Promise<void>;
  /** Writes the records of other devices to the store after the session is closed. */
  readonly others?: (store: FullSessionStore) => Promise<void>;
};

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

const plays: Readonly<Record<string, Play>> = {
  'plain-chat': {
    steps: [
      { text: 'Hello! ümläut 😀 "quoted"', usage },
      { reasoning: 'Let me think.', text: 'It is **four**.', usage },
    ],
    async act(session) {
      await session.sendMessage('Hello there');
      await session.sendMessage({ text: 'What is 2 + 2?', data: { page: 3 }, metadata: { from: 'form' } });
      await session.update((state) => AgentState.withSystemPrompt(state, 'Answer in verse.'));
      await session.rename('A plain chat');
      session.setDraft('not sent yet');
    },
  },
  'approvals-waiting': {
    steps: [
      { toolCalls: [{ name: 'pay', input: { amount: 5 } }], usage },
      { text: 'Paid five.' },
      {
        text: 'Two things first.',
        toolCalls: [
          { name: 'pay', input: { amount: 70 } },
          { name: 'form', input: {} },
          { name: 'look', input: { at: 1 } },
        ],
      },
    ],
    agent: { tools: [pay, form, fakeTool('look', { found: [1, 2] })] },
    async act(session) {
      const turn = await session.sendMessage('Pay five');
      if (turn.status !== 'awaiting-input') throw new Error('The first call did not ask');
      const [call] = session.store.getState().activity.type === 'waiting' ? waiting(session) : [];
      await session.approve(call ?? '');
      await session.sendMessage('Pay seventy, and ask me');
      void session.sendMessage('And then this');
    },
  },
  'moved-to-server': {
    steps: [{ text: 'It goes on there.', usage }],
    owner: 'anna',
    async act(session) {
      await session.sendMessage('Go on at the server');
      const arrived = async (): Promise<void> => undefined;
      const past = async (): Promise<null> => null;
      const served = {
        check: arrived,
        take: arrived,
        rename: arrived,
        remove: arrived,
        restore: arrived,
        past,
      };
      await session.moveTo({
        ...localStorageSessions({ storage: textStorage() }),
        identity: 'server:/api',
        served,
      });
    },
  },
  subagents: {
    steps: [
      { toolCalls: [{ name: 'delegate', input: { agent: 'helper', task: 'Look for it' } }], usage },
      { text: 'The helper found it.' },
    ],
    agent: {
      subagents: [
        defineAgent({
          name: 'helper',
          description: 'Helps',
          systemPrompt: 'Help.',
          tools: [fakeTool('look', 'found')],
          inference: scriptedInference([
            { toolCalls: [{ name: 'look', input: {} }], usage },
            { text: 'It is there.' },
          ]),
        }),
      ],
    },
    act: async (session) => void (await session.sendMessage('Find it')),
  },
  'calls-elsewhere': {
    steps: [
      {
        text: 'I look in both.',
        toolCalls: [
          { name: 'search', input: { for: 'tea' }, elsewhere: { result: { found: 2 } } },
          { name: 'look', input: {} },
          { name: 'open', input: {}, elsewhere: { outcome: 'failed', result: 'it is closed' } },
        ],
        usage,
      },
      { text: 'Two.' },
    ],
    agent: { tools: [fakeTool('look', 'found')] },
    act: async (session) => void (await session.sendMessage('Look in both places')),
  },
  'branches-and-edits': {
    steps: [
      { toolCalls: [{ name: 'note', input: { text: 'one' } }] },
      ...['One.', 'Two.', 'Two again.'].map((text) => ({ text, usage })),
      { toolCalls: [{ name: 'note', input: { text: 'two' } }] },
      ...['Another two.', 'Three.'].map((text) => ({ text, usage })),
    ],
    agent: { plugins: [notes] },
    async act(session) {
      await session.sendMessage('First');
      await session.sendMessage('Second');
      await session.regenerate();
      const second = session.store
        .getState()
        .state.context.store.sections[0]?.messages.find((message) => Message.text(message) === 'Second');
      await session.edit(second?.id ?? '', 'Second, edited');
      await session.sendMessage('Third');
    },
  },
  'several-devices': {
    steps: ['One.', 'Two.'].map((text) => ({ text, usage })),
    agent: { sessionBudget: { tokens: 10_000 } },
    async act(session) {
      await session.sendMessage('First');
      await session.sendMessage('Second');
      session.setDraft('a pasted text '.repeat(400));
    },
    async others(store) {
      const record = loadedSession(await store.load('several-devices'));
      if (record === null) throw new Error('The session is not stored');
      const { id, version, epoch = 0, journal } = record;
      const at = { journalId: journal.id, events: [] };
      await store.append(id, { expectedVersion: version, epoch, commands: ['taken-1', 'taken-2'], ...at });
      await store.outbox.put(id, { id: 'waiting-1', type: 'send', text: 'From another device' });
      await store.outbox.put(id, { id: 'waiting-2', type: 'send', text: 'A long text '.repeat(500) });
      await store.save({ ...record, id: removedId }, { expectedVersion: 0 });
      await store.remove(removedId);
    },
  },
  'breakpoint-waiting': {
    steps: [
      { toolCalls: [{ name: 'look', input: { at: 1 } }], usage },
      {
        text: 'Again.',
        toolCalls: [
          { name: 'look', input: { at: 2 } },
          { name: 'look', input: { at: 3 } },
        ],
      },
    ],
    agent: { tools: [fakeTool('look', { found: [1, 2] })] },
    async act(session) {
      await session.setBreakpoint({ type: 'tool', toolName: 'look' }, { id: 'look' });
      await session.setBreakpoint({ type: 'tool', toolName: 'pay', isAfter: true }, { id: 'pay' });
      await session.setBreakpoint({ type: 'step', stepType: 'error' }, { id: 'errors' });
      await session.setBreakpoint({ type: 'budget', limit: 'cost', left: 0.5 }, { id: 'cost' });
      await session.setBreakpoint({ type: 'finding', code: null }, { id: 'findings' });
      await session.sendMessage('Look twice');
      await session.releaseWith({ input: { at: 7 }, systemPrompt: 'Be long.' });
      await session.releaseWith({ result: 'given by a person' });
    },
  },
  'continued-run': {
    steps: [
      { toolCalls: [{ name: 'look', input: { at: 1 } }], usage },
      { toolCalls: [{ name: 'look', input: { at: 2 } }], usage },
      { text: 'Found two.', usage },
    ],
    agent: { tools: [fakeTool('look', 'found')], budget: { maxSteps: 1 }, sessionBudget: { tokens: 10_000 } },
    async act(session) {
      await session.sendMessage('Look twice');
      await session.continueRun();
      await session.continueRun({ grant: { steps: 1, seconds: 60 } });
    },
  },
  // Every event field that explains a run stands in the events behind the snapshot.
  'explained-run': {
    steps: [
      { text: 'Hello.', usage },
      { toolCalls: [{ name: 'count', input: { to: '3' } }], usage },
      { toolCalls: [{ name: 'look', input: {} }], usage },
      { text: 'Counted.', usage },
    ],
    agent: { tools: [count, fakeTool('look', 'found')], plugins: [clock], hooks: meddling },
    async act(session) {
      await session.sendMessage('Hello');
      await session.flush();
      const turn = session.sendMessage('Count, then look');
      await session.pause();
      await turn;
      await session.setBreakpoint({ type: 'model' }, { id: 'model' });
      await session.removeBreakpoint('model');
      await session.releaseWith({ systemPrompt: 'Count well.' });
    },
  },
  'interrupted-run': {
    steps: [
      { toolCalls: [{ name: 'note', input: { text: 'tea at four' } }], usage },
      { text: 'Noted.' },
      { toolCalls: [{ name: 'note', input: { text: 'lunch at one' } }] },
      { text: 'And now', toolCalls: [{ name: 'slow', input: { n: 1 } }] },
    ],
    agent: { plugins: [notes], tools: [never] },
    async act(session) {
      await session.sendMessage('Remember tea');
      void session.sendMessage('Remember lunch, then be slow');
      await until(() => session.store.getState().activity.type === 'tool');
      await until(() => JSON.stringify(session.store.getState().state).includes('"running"'));
    },
  },
  // Each record has the id of its write.
  'named-writes': {
    steps: [
      { text: 'One.', usage },
      { text: 'Two.', usage },
    ],
    async act(session) {
      await session.sendMessage('Count');
      await session.sendMessage('Go on');
    },
  },
};

function waiting(session: AgentSession): readonly string[] {
  const { activity } = session.store.getState();
  return activity.type === 'waiting' ? activity.toolCallIds : [];
}

for (const [name, { steps, agent = {}, owner, act, others }] of Object.entries(plays)) {
  const file = `${folder}/${name}${suffix}.json`;
  if (existsSync(file)) continue;
  const storage = textStorage();
  const session = createAgentSession({
    agent: defineAgent({
      name: 'assistant',
      systemPrompt: 'Be brief.',
      inference: scriptedInference(steps),
      ...agent,
    }),
    sessions: localStorageSessions({ storage }),
    sessionId: name,
    publish: 'immediate',
    ...(owner === undefined ? {} : { owner }),
  });
  await act(session);
  await session.flush();
  await others?.(localStorageSessions({ storage }));
  const texts = textsOf(storage);
  const stored = localStorageSessions({ storage: textStorage(texts) });
  const document = await exportSession(stored, name);
  const facts = await factsOf(stored, name);
  const beside = await besideOf(stored, name);
  const at = Date.now();
  writeFileSync(file, `${JSON.stringify({ name, at, storage: texts, document, facts, beside }, null, 1)}\n`);
}

const hashes = readdirSync(folder)
  .filter((file) => file.endsWith('.json') && file !== 'hashes.json')
  .toSorted()
  .map((file) => [
    file,
    createHash('sha256')
      .update(readFileSync(`${folder}/${file}`))
      .digest('hex'),
  ]);
writeFileSync(`${folder}/hashes.json`, `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
process.exit(0);
