import assert from 'node:assert/strict';
import { AgentState, type AgentDefinition, defineAgent, defineTool, Message } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
import type { HostedCommand, Lease, SessionAddress, SessionHost } from '../host/session-host.ts';
import { beatMs, listen, say } from '../run/bus-message.ts';
import type { OnWaiting } from '../run/waiting-calls.ts';
import { anna, type HostLaw, until } from './host-law.ts';
import { answerTo, give, runAgents, send, storedState, waitingAgent, yesAgent } from './law-agents.ts';

/** Laws of a host whose sessions are those of agents: 7, 9, 10, 11, 21, 22, 24, and those of waiting for a person. */
export const agentLaws: readonly HostLaw[] = [
  {
    name: 'messages that nobody had begun are begun once and in order by the next process, each with a turn of its own',
    async keep({ host, restart }) {
      for (const text of ['one', 'two', 'three']) await host.submit(anna, send(text), 'anna');
      const next = await restart({ graceMs: 0 });
      await runAgents(next, { clerk: yesAgent() });
      const answers = await Promise.all(['one', 'two', 'three'].map((id) => answerTo(next, id)));
      const turns = answers.map(({ turn }) => turn?.id);
      assert.equal(new Set(turns).size, 3, `The turns are ${turns.join(', ')}.`);
      // Given again, also after a takeover, they change nothing.
      for (const text of ['one', 'two', 'three']) await next.submit(anna, send(text), 'anna');
      const state = await storedState(next);
      const said = AgentState.messages(state).map((message) => `${message.role} ${Message.text(message)}`);
      const turn = (text: string): readonly string[] => [`user ${text}`, 'assistant Yes.'];
      assert.deepEqual(said, [...turn('one'), ...turn('two'), ...turn('three')]);
    },
  },
  {
    name: 'a stop ends the execution that it names, and no later one',
    async keep({ host }) {
      const { agent, calls } = waitingAgent();
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
      await give(host, stop('late', 'another'));
      await host.submit(anna, stop('now', first), 'anna');
      assert.equal((await answerTo(host, 'one')).turn?.outcome, 'stopped');
      await host.submit(anna, send('two'), 'anna');
      await until(() => calls.length === 2, 'the second execution runs');
      await give(host, stop('again', first));
      calls[1]?.();
      assert.equal((await answerTo(host, 'two')).turn?.outcome, 'completed');
    },
  },
  {
    name: 'sessions that wait for a person hold no run, survive the process, and go on with the same turn',
    async keep({ host, restart }) {
      const reported: string[] = [];
      const addresses = Array.from({ length: 12 }, (_, i) => ({ ...anna, sessionId: `s${i}` }));
      const { live } = await runAgents(
        host,
        { clerk: askingAgent() },
        ({ sessionId }) => void reported.push(sessionId),
      );
      for (const address of addresses) await host.submit(address, send('one'), 'anna');
      const before = await Promise.all(addresses.map((address) => answerTo(host, 'one', address)));
      await until(() => live() === 0, 'no run was left');
      const next = await restart({ graceMs: 0 });
      const after = await runAgents(
        next,
        { clerk: askingAgent() },
        ({ sessionId }) => void reported.push(sessionId),
      );
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
      assert.deepEqual(reported.toSorted(), addresses.map(({ sessionId }) => sessionId).toSorted());
    },
  },
  {
    name: 'a call that nobody answers in time is rejected, also by another process, and the same turn goes on',
    async keep({ host, restart }) {
      const approvalMs = 2000;
      const { live } = await runAgents(host, { clerk: askingAgent() }, undefined, null, approvalMs);
      const { turn } = await give(host, send('one'));
      await until(() => live() === 0, 'no run was left');
      const next = await restart({ graceMs: 0 });
      const after = await runAgents(next, { clerk: askingAgent() }, undefined, null, approvalMs);
      await until(async () => (await storedState(next)).execution?.status === 'completed', 'the run went on');
      const { execution } = await storedState(next);
      assert.equal(execution?.turnId, turn?.id);
      const [call] = execution?.stepExecutions[0]?.step.toolExecutions ?? [];
      assert.deepEqual(
        [call?.status, call?.approval?.decision, call?.approval?.comment],
        ['rejected', 'rejected', 'Nobody answered within 2 s.'],
      );
      await until(() => after.live() === 0, 'no run was left');
    },
  },
  {
    name: 'a run that waits at its deadline ends: its approvals are rejected, and one that waits for an output is stopped',
    async keep({ host }) {
      const deadline = Date.now() + 2500;
      const output = defineTool({ name: 'choose', description: 'Asks the page', input: z.object({}) });
      const inference = scriptedInference([{ toolCalls: [{ name: 'choose', input: {} }] }]);
      const choosing = defineAgent({ name: 'clerk', inference, tools: [output], budget: { deadline } });
      const agents = { clerk: { ...askingAgent(), budget: choosing.budget }, choosing };
      const { live } = await runAgents(host, agents);
      const other = { ...anna, agent: 'choosing', sessionId: 's2' };
      for (const address of [anna, other]) {
        await give(host, send('one'), address);
      }
      await until(() => live() === 0, 'no run was left');
      const signalOf = async (address: SessionAddress): Promise<string | undefined> => {
        const state = await storedState(host, address);
        return AgentState.stopSignal(state)?.message;
      };
      await until(
        async () => (await signalOf(other)) !== undefined,
        'the run that waits for an output ended',
      );
      await until(async () => (await signalOf(anna)) !== undefined, 'the run that waits for approval ended');
      for (const address of [anna, other]) assert.match((await signalOf(address)) ?? '', /deadline/i);
      assert(Date.now() >= deadline);
    },
  },
  {
    name: 'a session at a breakpoint is not woken when the time for approvals is over',
    async keep({ host }) {
      const agents = { clerk: yesAgent() };
      const { live, began } = await runAgents(host, agents, undefined, null, 500);
      const breakpoint = { id: 'b', on: { type: 'model' }, isOnce: false };
      await give(host, send('zero'));
      await host.submit(anna, { id: 'set', type: 'debug', action: { type: 'set', breakpoint } }, 'anna');
      await give(host, send('one'));
      assert.notEqual((await storedState(host)).execution?.breakHit ?? null, null);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await until(() => live() === 0, 'no run was left');
      const before = began();
      await new Promise((resolve) => setTimeout(resolve, 1500));
      assert.equal(began(), before, 'A session at a breakpoint was run.');
    },
  },
  {
    name: 'a wait for a person is told once, also when other commands wake the session and another process goes on',
    async keep({ host, restart }) {
      const reported: string[] = [];
      const report: OnWaiting = (_address, ids) => void reported.push(...ids);
      const { live } = await runAgents(host, { clerk: askingAgent() }, report);
      await host.submit(anna, send('one'), 'anna');
      await until(() => reported.length > 0, 'the wait was told');
      await until(() => live() === 0, 'no run was left');
      await give(host, { id: 'name', type: 'rename', title: 'A name' });
      const next = await restart({ graceMs: 0 });
      await runAgents(next, { clerk: askingAgent() }, report);
      await give(next, { id: 'again', type: 'rename', title: 'Another' });
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.deepEqual(reported, [await waitingCall(next)]);
    },
  },
  {
    name: 'a wait that the first process could not tell is told by the next one',
    async keep({ host, restart }) {
      let tries = 0;
      await runAgents(host, { clerk: askingAgent() }, async () => {
        tries++;
        throw new Error('The mail server does not answer.');
      });
      await host.submit(anna, send('one'), 'anna');
      await until(() => tries > 0, 'the wait was told in vain');
      const next = await restart({ graceMs: 0 });
      const reported: string[] = [];
      await runAgents(next, { clerk: askingAgent() }, (_address, ids) => void reported.push(...ids));
      await next.submit(anna, { id: 'name', type: 'rename', title: 'A name' }, 'anna');
      await until(() => reported.length > 0, 'the wait was told');
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
      await runAgents(next, { clerk: yesAgent() });
      const at = performance.now();
      assert.equal((await answerTo(next, 'one')).turn?.outcome, 'completed');
      assert(performance.now() - at < 5000, 'The session waited for long.');
    },
  },
  {
    name: 'a session that is to be failed ends its run and calls nothing, and its next message is one for the next run',
    async keep({ host, restart }) {
      const { agent, calls } = waitingAgent();
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
      const received: string[] = [];
      const leave = listen(host.bus, anna, (message) => {
        if (message.type === 'link') received.push(message.kind);
        // A follower asks when a runner begins.
        if (isFollowing && message.type === 'link' && message.kind === 'term') greet(host);
      });
      let isFollowing = false;
      await give(host, send('one'));
      await until(() => received.includes('answer'), 'the answer was said');
      assert.deepEqual([...new Set(received)].toSorted(), ['answer', 'term']);
      isFollowing = true;
      await until(async () => (await host.pending(anna)).length === 0, 'the command was answered');
      greet(host);
      await give(host, send('two'));
      await until(() => received.includes('batch') && received.includes('document'), 'the answer was heard');
      leave();
    },
  },
  {
    name: 'the grants of several commands give a run each limit of its agent once more, and no more',
    async keep({ host }) {
      const look = defineTool({
        name: 'look',
        description: 'Looks',
        input: z.object({}),
        effects: 'idempotent',
        execute: async () => 'found',
      });
      const inference = scriptedInference([() => ({ toolCalls: [{ name: 'look', input: {} }] })]);
      const agent = defineAgent({ name: 'clerk', inference, tools: [look], budget: { maxSteps: 3 } });
      await runAgents(host, { clerk: agent });
      await give(host, send('one'));
      const answers = [];
      for (const [at, grant] of [{ steps: 2 }, { steps: 2 }, { steps: 2 }, null].entries()) {
        const more = await give(host, { type: 'continue', id: `more ${at}`, grant, at: 1 });
        answers.push(more.turn?.status);
      }
      assert.deepEqual(answers, ['done', 'done', 'refused', 'refused']);
      const { execution } = await storedState(host);
      assert.deepEqual([execution?.grants?.steps, execution?.stepExecutions.length], [3, 6]);
    },
  },
  {
    name: 'nothing more of an answer is said once the last follower has been silent for three beats',
    async keep({ host }) {
      const { agent, calls } = waitingAgent();
      await runAgents(host, { clerk: agent });
      const received: string[] = [];
      const leave = listen(host.bus, anna, (message) => {
        if (message.type === 'link') received.push(message.kind);
      });
      await host.submit(anna, send('one'), 'anna');
      await until(() => calls.length === 1, 'the tool runs');
      greet(host);
      await until(() => received.includes('document'), 'the follower was answered');
      const { now } = performance;
      performance.now = () => now.call(performance) + 3 * beatMs;
      try {
        received.length = 0;
        calls[0]?.();
        await answerTo(host, 'one');
        await until(() => received.includes('answer'), 'the answer was said');
        assert.deepEqual([...new Set(received)], ['answer']);
      } finally {
        performance.now = now;
        leave();
      }
    },
  },
  {
    name: 'a session whose first run died before it wrote anything is begun by the next one',
    async keep({ host }) {
      // As the dead run has left it.
      await host.sessions(anna.owner).takeEpoch(anna.sessionId);
      await runAgents(host, { clerk: yesAgent() });
      assert.equal((await give(host, send('one'))).turn?.outcome, 'completed');
      assert.equal(AgentState.messages(await storedState(host)).length, 2);
    },
  },
];

/** An agent that waits for an approval in its first step. */
function askingAgent(): AgentDefinition {
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

function approve(id: string, toolCallId: string): HostedCommand {
  return { id, type: 'answer', decisions: { [toolCallId]: { approved: true } } };
}

async function waitingCall(host: SessionHost, address = anna): Promise<string> {
  const [call] = AgentState.pendingApprovals(await storedState(host, address));
  assert(call !== undefined, 'No call waits.');
  return call.id;
}

/** Resolves with the id of the execution that runs, once it is stored. */
async function executionOf(host: SessionHost): Promise<string> {
  let id: string | null = null;
  await until(async () => {
    const { kind } = await host.sessions(anna.owner).load(anna.sessionId);
    if (kind === 'there') id = (await storedState(host)).execution?.executionId ?? null;
    return id !== null;
  }, 'the execution was stored');
  return id as unknown as string;
}

/** Follows the session from its beginning, as a device does. */
function greet(host: SessionHost): void {
  const at = { have: null, seen: null };
  say(host.bus, anna, { type: 'hello', from: 'follower', inspects: true, at });
}
