import type { AgentInit, AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import type { Env } from '@vitrine/core/internal/graph/env';
export { fixedEnv } from './fixed-env.ts';
import { type ScriptedEntry, scriptedInference } from './scripted-inference.ts';
import { withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import type { AgentState } from '@vitrine/core/internal/graph/types';

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
export function ask(text = 'Hello', env?: Env): AgentState {
  return withUserMessage(create({}, env), text, env);
}

/** Collects the values of an iteration. */
export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}
