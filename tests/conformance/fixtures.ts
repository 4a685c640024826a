import {
  type AgentDefinition,
  type AgentEvent,
  type AgentInit,
  AgentState,
  createAgentLoop,
  defineAgent,
  type Env,
  type Usage,
} from '@vitrine/core';
import { fakeTool, type ScriptedEntry, scriptedInference, type ScriptedStep } from '@vitrine/core/testing';

/** The vocabulary of cases.md: `final(text)`, `call(tool)`, `ok`, `bad`, `run(state)`, `u(n)`. */
export const u = (tokens: number): Partial<Usage> => ({ inputTokens: tokens });
export const final = (text = 'Done', step: ScriptedStep = {}): ScriptedStep => ({ text, ...step });
export const call = (tool = 'ok', step: ScriptedStep = {}): ScriptedStep => ({
  toolCalls: [{ name: tool, input: {} }],
  ...step,
});
export const delegate = (agent: string, step: ScriptedStep = {}): ScriptedStep => ({
  toolCalls: [{ name: 'delegate', input: { agent, task: 'Look it up' } }],
  ...step,
});
export const ok = fakeTool('ok', 'ok');
export const bad = fakeTool('bad', () => {
  throw new Error('bad');
});

export type Scripted = AgentDefinition & { readonly modelCalls: () => number };

/** An agent that follows a script, with the tools `ok` and `bad`. It counts how often its model is called. */
export function scripted(script: readonly ScriptedEntry[], init: Partial<AgentInit> = {}): Scripted {
  const client = scriptedInference(script);
  let calls = 0;
  const agent = defineAgent({
    name: 'agent',
    systemPrompt: 'Be brief.',
    tools: [ok, bad],
    inference: {
      stream(request, options) {
        calls += 1;
        return client.stream(request, options);
      },
    },
    ...init,
  });
  return { ...agent, modelCalls: () => calls };
}

/** A new state with one message of the user. */
export function asked(env?: Env): AgentState {
  return AgentState.withUserMessage(AgentState.create({}, env), 'Hello', env);
}

export type Run = { readonly state: AgentState; readonly events: readonly AgentEvent[] };

/** Runs an agent to the end. */
export async function run(
  agent: AgentDefinition,
  { state = asked(), env, signal }: { state?: AgentState; env?: Env; signal?: AbortSignal } = {},
): Promise<Run> {
  const events: AgentEvent[] = [];
  const loop = createAgentLoop(agent, {
    ...(env === undefined ? {} : { env }),
    onEvent: (event) => events.push(event),
  });
  return { state: await loop.execute(state, signal === undefined ? {} : { signal }), events };
}

/** Status, reason and number of steps: how a run ended. */
export function endOf(state: AgentState): readonly [string | null, string | null, number] {
  return [AgentState.status(state), AgentState.stopReason(state), AgentState.stepCount(state)];
}
