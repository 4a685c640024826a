import * as errors from '../kit/errors.ts';
import { isUuid } from '../kit/check-id.ts';
import { type Env, systemEnv } from './env.ts';

export type AgentId = string;
export type ExecutionId = string;
export type StepId = string;
export type ToolExecutionId = string;

/** The given text as an id. @throws AgentError `id-invalid` when it is not a UUID. */
export function of(text: string): string {
  if (isUuid(text)) return text;
  throw errors.idInvalid({ value: String(text) });
}

/** A fresh id. */
export function create(env: Env = systemEnv): string {
  return env.id();
}
