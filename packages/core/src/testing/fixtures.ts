import type { AgentInit, AgentDefinition } from '../agent/agent-definition.ts';
import { defineAgent } from '../agent/define-agent.ts';
import type { Env } from '../graph/env.ts';
export { fixedEnv } from './fixed-env.ts';
import { type ScriptedEntry, scriptedInference } from './scripted-inference.ts';
import { withUserMessage } from '../graph/agent-state/transitions.ts';
import { create } from '../graph/agent-state/create.ts';
import type { AgentState } from '../graph/types.ts';

/** An agent that follows a script. */
export function scriptedAgent(
  script: readonly ScriptedEntry[],
  init: Partial<AgentInit> = {},
): AgentDefinition {
  return defineAgent({
    name: 'agent',
    systemPrompt: 'Be brief.',
    inference: scriptedInference(script),
    ...init,
  });
}

/** A new state with one user message. */
export function asked(text = 'Hello', env?: Env): AgentState {
  return withUserMessage(create({}, env), text, env);
}

/** Collects the values of an iteration. */
export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}
