import {
  type AgentDefinition,
  type AgentInit,
  AgentState,
  createAgentLoop,
  defineAgent,
  type Env,
  type JsonValue,
  type Tool,
  type Usage,
} from '@vitrine/core';
import {
  expectRun as expectAnyRun,
  type ExpectRunOptions,
  fakeTool,
  fixedEnv,
  type RunExpectation,
  type ScriptedEntry,
  scriptedInference,
  type ScriptedStep,
} from '@vitrine/testing';

export { fakeTool, fixedEnv, type ScriptedEntry, type ScriptedStep };

/** The vocabulary of cases.md: `u(n)`, `final(text)`, `call(tool, args)`, `calls([..])`, `errorStep`, `throws`, `ok`, `bad`, `iter`. */
export const u = (tokens: number): Partial<Usage> => ({ inputTokens: tokens });
export const final = (text = 'Done', step: ScriptedStep = {}): ScriptedStep => ({ text, ...step });
export const call = (tool = 'ok', input: JsonValue = {}, step: ScriptedStep = {}): ScriptedStep => ({
  toolCalls: [{ name: tool, input }],
  ...step,
});
export const calls = (...tools: readonly string[]): ScriptedStep => ({
  toolCalls: tools.map((name) => ({ name, input: {} })),
});
export const delegate = (agent: string, step: ScriptedStep = {}): ScriptedStep => ({
  toolCalls: [{ name: 'delegate', input: { agent, task: 'Look it up' } }],
  ...step,
});
export const errorStep = (message: string): ScriptedStep => ({ error: { message } });
export const throws = (message: string): ScriptedStep => ({ error: new Error(message) });
export const ok = fakeTool('ok', 'ok');
/** A tool of an application: its error is told as it is. */
export const bad: Tool = { ...fakeTool('bad', () => Promise.reject(new Error('bad'))), errorMessage: null };

const defaults = { name: 'agent', systemPrompt: 'Be brief.', tools: [ok, bad] };

/** An agent that follows a script, with the tools `ok` and `bad`. */
export function scripted(script: readonly ScriptedEntry[], init: Partial<AgentInit> = {}): AgentDefinition {
  return defineAgent({ ...defaults, inference: scriptedInference(script), ...init });
}

/** The expectations about a run of such an agent, or of a given one. */
export function expectRun(
  script: readonly ScriptedEntry[] | AgentDefinition,
  init: Partial<AgentInit> = {},
  options: ExpectRunOptions = {},
): RunExpectation {
  return expectAnyRun(script, { ...defaults, ...init }, options);
}

/** A new state with one message of the user. */
export function asked(env?: Env): AgentState {
  return AgentState.withUserMessage(AgentState.create({}, env), 'Hello', env);
}

/** All states that an iteration yields. */
export async function iter(agent: AgentDefinition, signal?: AbortSignal): Promise<AgentState[]> {
  const states: AgentState[] = [];
  const options = signal === undefined ? {} : { signal };
  for await (const state of createAgentLoop(agent).iterate(asked(), options)) states.push(state);
  return states;
}

/** Through JSON text and back. */
export function roundTrip(state: AgentState): AgentState {
  return AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
}
