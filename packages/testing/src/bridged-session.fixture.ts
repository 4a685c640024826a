import { type AgentSession, createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { scriptedInference, type ScriptedEntry } from '@vitrine/testing';
import * as z from 'zod';
import { scriptedAgent } from './fixtures.ts';

export const input = z.object({ n: z.number() });
export const double = defineTool({ name: 'double', description: '', input, execute: ({ n }) => n * 2 });
export const pay = defineTool({
  name: 'pay',
  description: '',
  input,
  needsApproval: ({ n }) => ({ ask: `Pay ${n}?` }),
  execute: ({ n }) => ({ paid: n }),
});
const ask = defineTool({ name: 'ask', description: '', input, output: z.string() });

/** A session whose agent follows a script, with a tool that runs, one that needs approval, and one of the page. */
export function sessionOf(script: readonly ScriptedEntry[], more: object = {}): AgentSession {
  const agent = scriptedAgent(script, { tools: [double, pay, ask], retry: { maxAttempts: 1 }, ...more });
  return createAgentSession({ agent, publish: 'immediate' });
}

/** A session whose agent delegates to a subagent that asks before it pays. */
export function delegatingSession(): AgentSession {
  const kid = scriptedAgent(
    [{ text: 'I pay', toolCalls: [{ name: 'pay', input: { n: 7 } }] }, { text: 'Kid done' }],
    { name: 'kid', tools: [pay] },
  );
  const agent = defineAgent({
    name: 'parent',
    inference: scriptedInference([
      { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'pay' } }] },
      { text: 'All done' },
    ]),
    subagents: [kid],
  });
  return createAgentSession({ agent, publish: 'immediate' });
}
