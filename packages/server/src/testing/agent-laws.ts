import assert from 'node:assert/strict';
import {
  AgentState,
  type AgentDefinition,
  defineAgent,
  defineTool,
  loadedSession,
  Message,
  resolveRecord,
} from '@vitrine/core';
import { scriptedInference } from '@vitrine/core/testing';
import * as z from 'zod';
import type {
  CommandAnswer,
  HostedCommand,
  Lease,
  SessionAddress,
  SessionHost,
} from '../host/session-host.ts';
import { listen, say } from '../run/bus-message.ts';
import { createSessionRunner, type SessionRunner } from '../run/session-runner.ts';
import type { OnWaiting } from '../run/waiting-calls.ts';
import { anna, gate, type HostLaw, until } from './host-law.ts';

/** Laws of a host whose sessions are those of agents: 7, 9, 10, 11, 21, 22, 24, and those of waiting for a person. */
export const agentLaws: readonly HostLaw[] = [
  {
    name: 'messages that nobody had begun are begun once and in order by the next process, each with a turn of its own',
    async keep({ host, restart }) {
      for (const text of ['one', 'two', 'three']) await host.submit(anna, send(text), 'anna');
      const next = await restart({ graceMs: 0 });
      const model = scriptedInference([{ text: 'Yes.' }]);
      await runAgents(next, { clerk: defineAgent({ name: 'clerk', inference: model }) });
      const answers = await Promise.all(['one', 'two', 'three'].map((id) => answerTo(next, id)));
      const turns = answers.map(({ turn }) => turn?.id);
      assert.equal(new Set(turns).size, 3, `The turns are ${turns.join(', ')}.`);
      // Given again, also after a takeover, they change nothing.
      for (const text of ['one', 'two', 'three']) await next.submit(anna, send(text), 'anna');
      const state = await stored(next);
      const said = AgentState.messages(state).map((message) => `${message.role} ${Message.text(message)}`);
      const turn = (text: string): readonly string[] => [`user ${text}`, 'assistant Yes.'];
      assert.deepEqual(said, [...turn('one'), ...turn('two'), ...turn('three')]);
    },
  },
  {
    name: 'a stop ends the execution that it names, and no later one',
    async keep({ host }) {
      const { agent, calls } = waiting();
      await runAgents(host, { clerk: agent });
      await host.submit(anna, send('one'), 'anna');
      await until(() => calls.length === 1, 'the first execution runs');
      const first = await executionOf(host);
      const stop = (id: string, executionId: string): HostedCommand => ({
        id,
        type: 'stop',
        message: 'Stop.',
        executionId,
      });
      await host.submit(anna, stop('late', 'another'), 'anna');
      await answerTo(host, 'late');
      await host.submit(anna, stop('now', first), 'anna');
      assert.equal((await answerTo(host, 'one')).turn?.outcome, 'stopped');
      await host.submit(anna, send('two'), 'anna');
      await until(() => calls.length === 2, 'the second execution runs');
      await host.submit(anna, stop('again', first), 'anna');
      await answerTo(host, 'again');
      calls[1]?.();
      assert.equal((await answerTo(host, 'two')).turn?.outcome, 'completed');
    },
  },
  {
    name: 'sessions that wait for a person hold no run, survive the process, and go on with the same turn',
    async keep({ host, restart }) {
      const told: string[] = [];
      const addresses = Array.from({ length: 12 }, (_, i) => ({ ...anna, sessionId: `s${i}` }));
      const { live } = await runAgents(
        host,
        { clerk: asking() },
        ({ sessionId }) => void told.push(sessionId),
      );
      for (const address of addresses) await host.submit(address, send('one'), 'anna');
      const before = await Promise.all(addresses.map((address) => answerTo(host, 'one', address)));
      await until(() => live() === 0, 'no run was left');
      const next = await restart({ graceMs: 0 });
      const after = await runAgents(next, { clerk: asking() }, ({ sessionId }) => void told.push(sessionId));
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.equal(after.began(), 0, 'A session that waits was run.');
      const calls = await Promise.all(addresses.map((address) => waitingCall(next, address)));
      for (const [i, address] of addresses.entries())
        await next.submit(address, approve('yes', calls[i] ?? ''), 'anna');
      const answers = await Promise.all(addresses.map((address) => answerTo(next, 'yes', address)));
      assert.deepEqual(
        answers.map(({ turn }) => [turn?.id, turn?.outcome]),
        before.map(({ turn }) => [turn?.id, 'completed']),
      );
      assert.deepEqual(told.toSorted(), addresses.map(({ sessionId }) => sessionId).toSorted());
    },
  },
  {
    name: 'a wait for a person is told once, also when other commands wake the session and another process goes on',
    async keep({ host, restart }) {
      const told: string[] = [];
      const tell: OnWaiting = (_address, ids) => void told.push(...ids);
      const { live } = await runAgents(host, { clerk: asking() }, tell);
      await host.submit(anna, send('one'), 'anna');
      await until(() => told.length > 0, 'the wait was told');
      await until(() => live() === 0, 'no run was left');
      await host.submit(anna, { id: 'name', type: 'rename', title: 'A name' }, 'anna');
      await answerTo(host, 'name');
      const next = await restart({ graceMs: 0 });
      await runAgents(next, { clerk: asking() }, tell);
      await next.submit(anna, { id: 'again', type: 'rename', title: 'Another' }, 'anna');
      await answerTo(next, 'again');
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.deepEqual(told, [await waitingCall(next)]);
    },
  },
  {
    name: 'a wait that the first process could not tell is told by the next one',
    async keep({ host, restart }) {
      let tries = 0;
      await runAgents(host, { clerk: asking() }, async () => {
        tries++;
        throw new Error('The mail server does not answer.');
      });
      await host.submit(anna, send('one'), 'anna');
      await until(() => tries > 0, 'the wait was told in vain');
      const next = await restart({ graceMs: 0 });
      const told: string[] = [];
      await runAgents(next, { clerk: asking() }, (_address, ids) => void told.push(...ids));
      await next.submit(anna, { id: 'name', type: 'rename', title: 'A name' }, 'anna');
      await until(() => told.length > 0, 'the wait was told');
      assert.equal(tries, 1);
    },
  },
  {
    name: 'a session whose agent this process does not have waits for one that has it, which begins it at once',
    async keep({ host, restart }) {
      const { began } = await runAgents(host, {});
      await host.submit(anna, send('one'), 'anna');
      await until(() => began() > 2, 'the process tried it');
      assert.equal(await host.answerOf(anna, 'one'), 'waiting');
      const next = await restart({ graceMs: 0 });
      const inference = scriptedInference([{ text: 'Yes.' }]);
      await runAgents(next, { clerk: defineAgent({ name: 'clerk', inference }) });
      const at = performance.now();
      assert.equal((await answerTo(next, 'one')).turn?.outcome, 'completed');
      assert(performance.now() - at < 5000, 'The session waited for long.');
    },
  },
  {
    name: 'a session that is to be failed ends its run and calls nothing, and its next message is one for the next run',
    async keep({ host, restart }) {
      const { agent, calls } = waiting();
      await runAgents(host, { clerk: agent });
      await host.submit(anna, send('one'), 'anna');
      await until(() => calls.length === 1, 'the tool runs');
      await executionOf(host);
      const next = await restart({ graceMs: 0 });
      const verdicts: Lease['verdict'][] = ['fail', 'refuse'];
      const { live } = await runAgents(
        next,
        { clerk: agent },
        () => undefined,
        () => verdicts.shift() ?? 'run',
      );
      const failed = await answerTo(next, 'one');
      assert.deepEqual([failed.turn?.outcome, failed.turn?.error?.code], ['failed', 'session-crashed']);
      // The run that fails it takes no later message with it.
      await next.submit(anna, send('two'), 'anna');
      say(next.bus, anna, { type: 'look' });
      assert.equal((await answerTo(next, 'two')).error?.code, 'session-crashed');
      assert.equal(calls.length, 1);
      await until(() => live() === 0, 'no run was left');
      await next.submit(anna, send('three'), 'anna');
      await until(() => calls.length === 2, 'the tool runs again');
      calls[1]?.();
      assert.equal((await answerTo(next, 'three')).turn?.outcome, 'completed');
    },
  },
  {
    name: 'nothing of an answer is said while nobody follows, and a follower hears it',
    async keep({ host }) {
      const inference = scriptedInference([{ text: 'a b c d e f g h', chunks: 8, delayMs: 20 }]);
      await runAgents(host, { clerk: defineAgent({ name: 'clerk', inference }) });
      const heard: string[] = [];
      const leave = listen(host.bus, anna, (message) => {
        if (message.type === 'link') heard.push(message.kind);
        // A follower asks when a runner begins.
        if (isFollowing && message.type === 'link' && message.kind === 'term')
          say(host.bus, anna, { type: 'hello', from: 'follower', at: { have: null, seen: null } });
      });
      let isFollowing = false;
      await host.submit(anna, send('one'), 'anna');
      await answerTo(host, 'one');
      await until(() => heard.includes('answer'), 'the answer was said');
      assert.deepEqual([...new Set(heard)].toSorted(), ['answer', 'term']);
      isFollowing = true;
      await until(async () => (await host.pending(anna)).length === 0, 'the command was answered');
      say(host.bus, anna, { type: 'hello', from: 'follower', at: { have: null, seen: null } });
      await host.submit(anna, send('two'), 'anna');
      await answerTo(host, 'two');
      await until(() => heard.includes('batch') && heard.includes('document'), 'the answer was heard');
      leave();
    },
  },
];

/** Runs agents over a host. `live` and `began` count the runs that go on, and all. */
async function runAgents(
  host: SessionHost,
  agents: Readonly<Record<string, AgentDefinition>>,
  onWaiting: OnWaiting = () => undefined,
  verdict: (() => Lease['verdict']) | null = null,
): Promise<{ readonly live: () => number; readonly began: () => number }> {
  const runner: SessionRunner = createSessionRunner({ agents, host, lingerMs: 100, onWaiting });
  let [live, began] = [0, 0];
  await host.start(async (address, lease) => {
    live++;
    began++;
    const given = verdict === null ? lease : { ...lease, verdict: verdict() };
    await runner.run(address, given).finally(() => live--);
  });
  return { live: () => live, began: () => began };
}

/** An agent that waits for an approval in its first step. */
function asking(): AgentDefinition {
  const refund = defineTool({
    name: 'refund',
    description: 'Pays back',
    input: z.object({}),
    effects: 'once',
    needsApproval: true,
    execute: async () => 'paid back',
  });
  const first = { toolCalls: [{ name: 'refund', input: {} }] };
  const inference = scriptedInference([
    ({ messages }) => (messages.some(({ role }) => role === 'tool') ? { text: 'Done.' } : first),
  ]);
  return defineAgent({ name: 'clerk', inference, tools: [refund] });
}

/** An agent with a tool that waits, twice at most, and the functions that let its calls go on. */
function waiting(): { readonly agent: AgentDefinition; readonly calls: readonly (() => void)[] } {
  const calls: (() => void)[] = [];
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    input: z.object({}),
    effects: 'once',
    async execute(_input, { signal }) {
      const { open, opened } = gate();
      calls.push(open);
      signal.addEventListener('abort', open);
      await opened;
      signal.throwIfAborted();
      return 'waited';
    },
  });
  const inference = scriptedInference([
    ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ name: 'wait', input: {} }] },
  ]);
  return { agent: defineAgent({ name: 'clerk', inference, tools: [wait] }), calls };
}

function send(text: string): HostedCommand {
  return { id: text, type: 'send', message: { text }, options: {}, onBusy: 'queue' };
}

function approve(id: string, toolCallId: string): HostedCommand {
  return { id, type: 'answer', decisions: { [toolCallId]: { approved: true } } };
}

async function answerTo(host: SessionHost, id: string, address = anna): Promise<CommandAnswer> {
  let answer: CommandAnswer | 'waiting' | null = null;
  await until(async () => {
    answer = await host.answerOf(address, id);
    return answer !== 'waiting' && answer !== null;
  }, `command ${id} was answered`);
  return answer as unknown as CommandAnswer;
}

/** The stored state of a session. */
async function stored(host: SessionHost, address: SessionAddress = anna): Promise<AgentState> {
  const record = loadedSession(await host.sessions(address.owner).load(address.sessionId));
  assert(record !== null, 'The session is not stored.');
  return resolveRecord(record).state;
}

async function waitingCall(host: SessionHost, address = anna): Promise<string> {
  const [call] = AgentState.pendingApprovals(await stored(host, address));
  assert(call !== undefined, 'No call waits.');
  return call.id;
}

/** Resolves with the id of the execution that runs, once it is stored. */
async function executionOf(host: SessionHost): Promise<string> {
  let id: string | null = null;
  await until(async () => {
    const { kind } = await host.sessions(anna.owner).load(anna.sessionId);
    if (kind === 'there') id = (await stored(host)).execution?.executionId ?? null;
    return id !== null;
  }, 'the execution was stored');
  return id as unknown as string;
}
