import assert from 'node:assert/strict';
import {
  type AgentDefinition,
  type AgentState,
  defineAgent,
  defineTool,
  loadedSession,
  resolveRecord,
} from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
import type {
  CommandAnswer,
  HostedCommand,
  Lease,
  SessionAddress,
  SessionHost,
} from '../host/session-host.ts';
import { createSessionRunner, type SessionRunner } from '../run/session-runner.ts';
import type { OnWaiting } from '../run/waiting-calls.ts';
import { anna, gate, until } from './host-law.ts';

/** Runs agents over a host. `live` and `began` count the runs that go on, and all. */
export async function runAgents(
  host: SessionHost,
  agents: Readonly<Record<string, AgentDefinition>>,
  onWaiting: OnWaiting = () => undefined,
  verdict: (() => Lease['verdict']) | null = null,
  approvalMs = Infinity,
): Promise<{ readonly live: () => number; readonly began: () => number }> {
  const runner: SessionRunner = createSessionRunner({ agents, host, lingerMs: 100, onWaiting, approvalMs });
  let [live, began] = [0, 0];
  await host.start(async (address, lease) => {
    live++;
    began++;
    const given = verdict === null ? lease : { ...lease, verdict: verdict() };
    await runner.run(address, given).finally(() => live--);
  });
  return { live: () => live, began: () => began };
}

/** An agent with a tool that waits, twice at most, and the functions that let its calls go on. */
export function waitingAgent(): { readonly agent: AgentDefinition; readonly calls: readonly (() => void)[] } {
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

/** A message as a command, whose id is its text. */
export function send(text: string): HostedCommand {
  return { id: text, type: 'send', message: { text }, options: {}, onBusy: 'queue' };
}

export async function answerTo(host: SessionHost, id: string, address = anna): Promise<CommandAnswer> {
  let answer: CommandAnswer | 'waiting' | null = null;
  await until(async () => {
    answer = await host.answerOf(address, id);
    return answer !== 'waiting' && answer !== null;
  }, `command ${id} was answered`);
  return answer as unknown as CommandAnswer;
}

/** Gives a command to a session. Resolves with its answer. */
export async function give(
  host: SessionHost,
  command: HostedCommand,
  address = anna,
): Promise<CommandAnswer> {
  await host.submit(address, command, 'anna');
  return answerTo(host, command.id, address);
}

/** An agent that calls no tool and says yes. */
export function yesAgent(): AgentDefinition {
  return defineAgent({ name: 'clerk', inference: scriptedInference([{ text: 'Yes.' }]) });
}

export async function storedState(host: SessionHost, address: SessionAddress = anna): Promise<AgentState> {
  const record = loadedSession(await host.sessions(address.owner).load(address.sessionId));
  assert(record !== null, 'The session is not stored.');
  return resolveRecord(record).state;
}
