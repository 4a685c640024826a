import * as errors from '../kit/errors.ts';
import { isUuid } from '../kit/ids.ts';
import { type Env, systemEnv } from './env.ts';

/** A UUID; every id of a graph is one. */
export type AgentId = string;
/** A UUID, new for every run. */
export type ExecutionId = string;
/** A UUID, new for every step. */
export type StepId = string;
/** A UUID, new for every attempt at a call. */
export type ToolExecutionId = string;

/** Checks a text as an id. @throws AgentError `id-invalid` when it is not a UUID. */
export function of(text: string): string {
  if (isUuid(text)) return text;
  throw errors.idInvalid({ value: String(text) });
}

/** Creates a new id. */
export function create(env: Env = systemEnv): string {
  return env.id();
}
