import { AgentError } from '../kit/agent-error.ts';
import { type Env, systemEnv } from './env.ts';

export type AgentId = string;
export type ExecutionId = string;
export type StepId = string;
export type ToolExecutionId = string;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** True for a UUID in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}

type IdConstructor = {
  /** The given text as an id. @throws AgentError `id-invalid` when it is not a UUID. */
  readonly of: (text: string) => string;
  readonly create: (env?: Env) => string;
};

function idConstructor(kind: string): IdConstructor {
  return {
    of(text) {
      if (isUuid(text)) return text;
      throw new AgentError(
        'id-invalid',
        `${kind}: ${JSON.stringify(text)} is not a UUID. Leave it out to have one made.`,
        {
          data: { kind, value: String(text) },
        },
      );
    },
    create: (env = systemEnv) => env.id(),
  };
}

export const AgentId: IdConstructor = idConstructor('AgentId');
export const ExecutionId: IdConstructor = idConstructor('ExecutionId');
export const StepId: IdConstructor = idConstructor('StepId');
export const ToolExecutionId: IdConstructor = idConstructor('ToolExecutionId');
