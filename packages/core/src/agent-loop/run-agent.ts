import type { AgentDefinition } from '../agent/agent-definition.ts';
import { parse, type Schema } from '../agent/schema.ts';
import type { AgentOutput } from '../agent/types-of.ts';
import { finalResponse, messages, status } from '../graph/agent-state/accessors.ts';
import { runError } from '../graph/agent-state/ending-error.ts';
import { withMessages, withUserMessage } from '../graph/agent-state/transitions.ts';
import { create } from '../graph/agent-state/create.ts';
import { checkedEnv, type Env, systemEnv } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState, ExecutionStatus } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import { type AgentLoopOptions, createAgentLoop, type RunOptions } from './create-agent-loop.ts';
import { parseJson } from '../agent/final-output.ts';

/** Options of `runAgent`. When `signal` stops the run, the work so far is in the result. */
export type RunAgentOptions = RunOptions &
  Pick<AgentLoopOptions, 'env' | 'onEvent'> & {
    /** The conversation to continue. Default: a new one. */
    state?: AgentState;
  };

/** The result of a run. */
export type RunAgentResult<A extends AgentDefinition = AgentDefinition> = {
  /** The final answer; empty when there is none. */
  readonly text: string;
  /** The status of the run: `completed`, `stopped`, `failed`, or `in-progress` while a call waits for a person. */
  readonly status: ExecutionStatus;
  /** The error that ended the run; null when no error did. */
  readonly error: ErrorInfo | null;
  /** The state after the run, read by `AgentState.status`, `errors`, `stopReason`, `usage`, `steps` and others. */
  readonly state: AgentState;
  /** The answer as data, for an agent with a `responseFormat` schema; absent when there is none or it does not fit. */
  readonly output?: AgentOutput<A>;
};

/**
 * Runs an agent until it has answered: the shortest form, for scripts and tests. It also returns when a
 * call waits for a person: answer with `AgentState.withApproval` or `withOutput`, and continue with
 * `createAgentLoop`. An error of the agent does not reject: it is in the result.
 * @example
 * const { text, status, error } = await runAgent(assistant, 'Hello');
 * @throws AgentError `message-invalid` when there is nothing to answer
 */
export async function runAgent<A extends AgentDefinition>(
  agent: A,
  input: string | Message | readonly Message[],
  options: RunAgentOptions = {},
): Promise<RunAgentResult<A>> {
  const { signal, onEvent } = options;
  const env = checkedEnv(options.env ?? systemEnv);
  const start = withInput(options.state ?? create({}, env), input, env);
  const loop = createAgentLoop(agent, { env, ...(onEvent && { onEvent }) });
  const state = await loop.execute(start, signal ? { signal } : {});
  const output = await outputOf(agent.responseSchema, state);
  const error = runError(state);
  return { text: finalResponse(state), status: status(state) ?? 'pending', error, state, ...output };
}

function withInput(state: AgentState, input: string | Message | readonly Message[], env: Env): AgentState {
  const isList = Array.isArray(input);
  const isEmpty = isList ? input.length === 0 : typeof input === 'string' && input.trim() === '';
  if (isEmpty) {
    const message = 'runAgent: there is nothing to answer; give a text or a message.';
    throw new AgentError('message-invalid', message);
  }
  if (!isList) return withUserMessage(state, input as string | Message, env);
  return withMessages(state, [...messages(state), ...(input as readonly Message[])], env);
}

async function outputOf(schema: Schema | null, state: AgentState): Promise<{ output?: unknown }> {
  if (schema === null || status(state) !== 'completed') return {};
  const json = parseJson(finalResponse(state));
  if (!json.ok) return {};
  try {
    const parsed = await parse(schema, json.value);
    return parsed.ok ? { output: parsed.value } : {};
  } catch {
    // The run has already recorded the error of a schema that throws.
    return {};
  }
}
