import assert from 'node:assert/strict';
import {
  type AgentDefinition,
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  defineHook,
  definePlugin,
  defineTool,
  type JsonValue,
  Message,
  MessageStore,
} from '@vitrine/core';
import { memorySessions, type TabLink } from '@vitrine/persist';
import { linkFromJSON, type LinkPosition, positionFromText } from '@vitrine/persist/internal/link/link-json';
import { type LinkMessage, unseal, seal } from '@vitrine/persist/internal/link/protocol';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
import type { SessionHost } from '../host/session-host.ts';
import { follow } from '../run/follow.ts';
import { anna, type HostLaw, until } from './host-law.ts';
import { answerTo, give, runAgents, send, storedState, waitingAgent } from './law-agents.ts';

/** Laws of those who follow a session: 12 and 13. */
export const followerLaws: readonly HostLaw[] = [
  {
    name: 'a place that is told as stored is in the stored journal when it is told, and in that of the next process',
    async keep({ host, restart }) {
      const { agent, calls } = waitingAgent();
      await runAgents(host, { clerk: agent });
      const checks: Promise<void>[] = [];
      const device = deviceAt(
        host,
        agent,
        [],
        ({ position }) => void checks.push(assertStored(host, position)),
      );
      await host.submit(anna, send('one'), 'anna');
      await until(() => calls.length === 1, 'the tool runs');
      calls[0]?.();
      await answerTo(host, 'one');
      await host.submit(anna, send('two'), 'anna');
      await until(() => calls.length === 2, 'the tool of the second message runs');
      await until(() => textOf(device.session).includes('two'), 'the device shows the second message');
      await Promise.all(checks);
      const places = new Set(device.received.map(({ position }) => position));
      assert(places.size > 3, `Only ${places.size} places were told.`);
      device.leave();
      const next = await restart({ graceMs: 0 });
      for (const place of places) await assertStored(next, place);
    },
  },
  {
    name: 'a follower that rejoins at any position, at any process, has the stored state byte for byte',
    async keep({ host, restart }) {
      const agent = talkingAgent();
      await runAgents(host, { clerk: agent });
      const first = deviceAt(host, agent, []);
      for (const text of ['one', 'two']) {
        await give(host, send(text));
      }
      const past = [...first.received];
      assert(past.some(({ message }) => message.type === 'batch') && past.length > 12, 'Little was told.');
      // One run goes on while they come back, and nobody runs the session at the next process.
      await host.submit(anna, send('three'), 'anna');
      await assertRejoined(host, agent, past);
      first.leave();
      await until(async () => !(await host.isAwake(anna)), 'the session has ended');
      await assertRejoined(await restart({ graceMs: 1000 }), agent, past);
    },
  },
  {
    name: 'a follower who does not inspect gets the chat, and nothing else that models are sent',
    async keep({ host, restart }) {
      const agent = confidingAgent();
      await runAgents(host, { clerk: agent });
      const [reader, inspector] = [false, true].map((inspects) =>
        deviceAt(host, agent, [], () => undefined, inspects),
      ) as [Device, Device];
      for (const text of ['one', 'two']) {
        await give(host, send(text));
      }
      await until(() => textOf(reader.session).includes('answer to two'), 'the reader has the answer');
      await until(() => textOf(inspector.session).includes('answer to two'), 'the inspector has the answer');
      const early = reader.received.slice(0, Math.ceil(reader.received.length / 2));
      const later = [[], early].map((past) => deviceAt(host, agent, past, () => undefined, false));
      const haveRejoined = (): boolean =>
        later.every(({ session }) => textOf(session) === textOf(reader.session));
      await until(haveRejoined, 'those who rejoin have the chat');
      await until(async () => !(await host.isAwake(anna)), 'the session has ended');
      const stored = deviceAt(await restart({ graceMs: 1000 }), agent, [], () => undefined, false);
      await until(() => textOf(stored.session) === textOf(reader.session), 'the stored chat is shown');
      for (const { received } of [reader, ...later, stored])
        assert.deepEqual(secretsIn(received), [], 'A follower who does not inspect was told a secret.');
      assert.deepEqual(secretsIn(inspector.received), secrets);
      for (const { leave } of [reader, inspector, ...later, stored]) leave();
    },
  },
];

/** The texts that an agent sends to its models and not to a chat, by their place. */
const secrets = ['prompt', 'tool', 'field', 'instructions', 'context', 'hook', 'section', 'subagent'].map(
  (place) => `secret of the ${place}`,
);

function secretsIn(received: readonly Received[]): readonly string[] {
  const text = JSON.stringify(received);
  return secrets.filter((secret) => text.includes(secret));
}

/** An agent that sends a secret to its models in each way that there is. */
function confidingAgent(): AgentDefinition {
  const message = (text: string): Message => ({
    id: `m-${text.at(-1)}`,
    role: 'system',
    parts: [{ type: 'text', text }],
    metadata: {},
    createdAt: 0,
    parentId: null,
  });
  const look = defineTool({
    name: 'look',
    description: 'secret of the tool',
    input: z.object({ what: z.string().describe('secret of the field') }),
    execute: () => 'found',
  });
  const hook = defineHook({
    name: 'adds',
    on: ['before-step', 'before-inference'],
    run(state, ctx) {
      const { request } = ctx.fields;
      if (request !== undefined)
        ctx.replace('request', {
          ...request,
          messages: [...request.messages, message('secret of the hook')],
        });
      const { store } = state.context;
      return ctx.point === 'before-step'
        ? AgentState.withMessageStore(
            state,
            MessageStore.withSection(store, 'summary', [message('secret of the section')]),
          )
        : undefined;
    },
  });
  const plugin = definePlugin({
    id: 'knows',
    state: z.unknown(),
    prepare: () => ({
      instructions: 'secret of the instructions',
      context: [{ name: 'facts', content: 'secret of the context' }],
    }),
  });
  const helper = defineAgent({
    name: 'helper',
    systemPrompt: 'secret of the subagent',
    inference: scriptedInference([{ text: 'helped' }]),
  });
  const inference = scriptedInference([
    ({ messages }) => {
      const said = messages.findLast(({ role }) => role === 'user');
      const calls = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
      return calls.some(({ role }) => role === 'tool')
        ? // What plugins told stands in a part of its own behind the words of a person.
          {
            text: `answer to ${said === undefined ? '' : Message.text({ ...said, parts: said.parts.slice(0, 1) })}`,
          }
        : {
            toolCalls: [
              { name: 'look', input: { what: 'it' } },
              { name: 'delegate', input: { agent: 'helper', task: 'Help' } },
            ],
          };
    },
  ]);
  return defineAgent({
    name: 'clerk',
    systemPrompt: 'secret of the prompt',
    inference,
    tools: [look],
    hooks: [hook],
    plugins: [plugin],
    subagents: [helper],
  });
}

/** A message that a follower was sent, and its position after it. */
type Received = { readonly message: LinkMessage; readonly position: string };

type Device = {
  readonly session: AgentSession;
  readonly received: readonly Received[];
  readonly leave: () => void;
};

/** A device that was told some messages before, and follows at a process from the position after them. */
function deviceAt(
  host: SessionHost,
  agent: AgentDefinition,
  past: readonly Received[],
  onReceived: (received: Received) => void = () => undefined,
  inspects = true,
): Device {
  const received = [...past];
  let stream = new AbortController();

  function followFrom(from: LinkPosition, receive: (message: LinkMessage) => void): void {
    stream.abort();
    stream = new AbortController();
    void readEvents(host, agent, { from, inspects, signal: stream.signal }, (entry) => {
      received.push(entry);
      onReceived(entry);
      receive(entry.message);
    });
  }

  const tabs: TabLink = {
    where: 'server',
    lock(_name, onTurn) {
      queueMicrotask(() => onTurn(false));
      return () => undefined;
    },
    open(_name, onMessage) {
      const receive = (message: LinkMessage): void => onMessage(seal(message));
      let isNew = true;
      return {
        post(data) {
          const hello = unseal(data);
          if (hello?.type !== 'hello' || (!isNew && hello.seen !== null)) return;
          const from = isNew ? positionFromText(past.at(-1)?.position ?? '') : hello;
          if (isNew) for (const { message } of past) queueMicrotask(() => receive(message));
          isNew = false;
          queueMicrotask(() => followFrom(from, receive));
        },
        close: () => stream.abort(),
      };
    },
  };
  const session = createAgentSession({
    agent,
    sessionId: anna.sessionId,
    sessions: { ...memorySessions(), tabs },
    publish: 'immediate',
  });
  void session.ready;
  return { session, received, leave: () => void session.dispose() };
}

/** Reads the stream of a follower at a process until its signal aborts. */
async function readEvents(
  host: SessionHost,
  agent: AgentDefinition,
  place: { readonly from: LinkPosition; readonly inspects: boolean; readonly signal: AbortSignal },
  onReceived: (received: Received) => void,
): Promise<void> {
  const body = follow({
    ...place,
    host,
    agent,
    address: anna,
    person: 'anna',
    mayGoOn: async () => true,
    onEnd: () => undefined,
  });
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  let [text, position] = ['', ''];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const events = (text + read.value).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      position = /^id: (.*)$/m.exec(event)?.[1] ?? position;
      const data = /^data: (\{.*)$/m.exec(event)?.[1];
      const message = data === undefined ? null : linkFromJSON(JSON.parse(data) as JsonValue);
      if (message !== null) onReceived({ message, position });
    }
  }
}

/** Rejects when the cursor of a position is not in the stored journal. */
async function assertStored(host: SessionHost, position: string): Promise<void> {
  const { have } = positionFromText(position);
  if (have === null) return;
  const load = await host.sessions(anna.owner).load(anna.sessionId);
  assert(load.kind === 'there', `Record ${have.record} was told as stored, and no session is.`);
  const { id, records } = load.session.journal;
  assert.equal(id, have.journalId);
  assert(records >= have.record, `Record ${have.record} was told as stored, and ${records} are.`);
}

/** Lets a device rejoin at each position of a past, and sees that all have the stored state in the end. */
async function assertRejoined(
  host: SessionHost,
  agent: AgentDefinition,
  past: readonly Received[],
): Promise<void> {
  const devices = past.map((_received, at) => deviceAt(host, agent, past.slice(0, at + 1)));
  try {
    await until(async () => !(await host.isAwake(anna)), 'the session has ended');
    const stored = JSON.stringify(AgentState.toJSON(await storedState(host)));
    for (const [at, { session }] of devices.entries())
      await until(
        () => bytesOf(session) === stored,
        `the device that came back at ${past[at]?.position} has all`,
      );
  } finally {
    for (const { leave } of devices) leave();
  }
}

function bytesOf(session: AgentSession): string {
  return JSON.stringify(AgentState.toJSON(session.store.getState().state));
}

function textOf(session: AgentSession): string {
  return JSON.stringify(AgentState.messages(session.store.getState().state));
}

/** An agent that looks something up and then says a few words, slowly enough for a message each. */
function talkingAgent(): AgentDefinition {
  const look = defineTool({
    name: 'look',
    description: 'Looks something up',
    input: z.object({}),
    effects: 'idempotent',
    execute: async () => 'found',
  });
  const inference = scriptedInference([
    ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'a b c d e f', chunks: 6, delayMs: 25 }
        : { toolCalls: [{ name: 'look', input: {} }] },
  ]);
  return defineAgent({ name: 'clerk', inference, tools: [look] });
}
