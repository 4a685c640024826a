import {
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  definePlugin,
  defineTool,
} from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';

const notes = definePlugin({ id: 'notes', state: z.record(z.string(), z.string()), initial: {}, tools: [] });

/**
 * A session in which a text stands wherever texts can: said by the person, the application, the model, a tool that
 * gives something, one that fails and one that waits, a subagent, a plugin, metadata, and a provider that fails at last.
 * @param named A text that stands under names of secrets only.
 */
export async function planted(text: string, named = ''): Promise<AgentSession> {
  const both = `${named} ${text}`;
  const input = { at: text, apiKey: both, headers: { via: both }, list: [text, { env: { HOME: both } }] };
  const call = (name: string): { name: string; input: typeof input } => ({ name, input });
  const anything = z.looseObject({});
  const look = defineTool({
    name: 'look',
    description: `Looks for ${text}`,
    input: anything,
    execute: (_input, ctx) => {
      ctx.report({ done: 0.5, at: `Half of ${text}` });
      ctx.plugin(notes).set({ found: text });
      return { found: text, password: both, said: [`It is ${text}`] };
    },
  });
  const fail = defineTool({
    name: 'fail',
    description: 'Fails',
    input: anything,
    execute: () => {
      throw new Error(`No way: ${text}`);
    },
  });
  const pay = defineTool({
    name: 'pay',
    description: 'Waits for a person',
    input: anything,
    needsApproval: () => ({ deny: `never ${text}` }),
    execute: () => 'paid',
  });
  const child = defineAgent({
    name: 'researcher',
    description: 'Looks things up',
    systemPrompt: `You know ${text}`,
    tools: [look],
    inference: scriptedInference([{ toolCalls: [call('look')] }, { text: `Found ${text}` }]),
  });
  const agent = defineAgent({
    name: 'helper',
    systemPrompt: `Use ${text}`,
    tools: [look, fail, pay],
    plugins: [notes],
    subagents: [child],
    retry: { maxAttempts: 1 },
    inference: scriptedInference([
      { text: `I look at ${text}`, toolCalls: [call('look'), call('fail'), call('pay')] },
      {
        text: `It was ${text}`,
        toolCalls: [{ name: 'delegate', input: { agent: 'researcher', task: `Find ${text}` } }],
      },
      { error: { code: 'upstream-failed', message: `Refused ${text}`, retryable: false } },
    ]),
  });
  const state = AgentState.withMetadata(AgentState.create(), { via: text, secret: both });
  const session = createAgentSession({ agent, initialState: state });
  await session.sendMessage(`Where is ${text}?`);
  return session;
}
