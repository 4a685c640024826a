import { type Subagent, delegationToolName } from './agent-definition.ts';
import type { ToolOutcome } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { Schema } from './schema.ts';
import type { Tool, ToolContext } from './tool.ts';
import type { DelegationInput } from './agent-types.ts';

/** True for the delegation tool, whose calls the loop answers with a run of a subagent. */
export function isDelegationTool(tool: Tool): boolean {
  return tool.execute === refuse;
}

/** The result of a call that ran elsewhere. A failed one has the text of its error. */
export type ReportedResult = { readonly outcome: ToolOutcome; readonly result: JsonValue };

/** The kind of a running call, known only now: the work of an agent, or a question to the person. */
export type HandedOver =
  | {
      readonly kind: 'agent';
      readonly subagent: Subagent;
      readonly task: string;
      /** Resolves when the agent has ended; null: the result is what the agent has said. */
      readonly result: () => Promise<ReportedResult | null>;
    }
  | { readonly kind: 'question'; readonly reason: string | null };

/** The present state of the agent of a running call. */
export type LiveState = {
  readonly now: () => AgentState;
  /** Resolves with the next event of any agent. */
  readonly untilChanged: () => Promise<void>;
  /** Waits for a promise. Until it is settled the call takes no place among those that run. */
  readonly idle: (wait: Promise<void>) => Promise<void>;
};

/** A tool that learns only from its running call whether another agent does the work. */
export type DelegatingTool = Tool & {
  /**
   * Resolves with what a call is; null for one that `execute` ends. It is asked again about a call that a person has
   * answered, or whose agent goes on; in a run that is aborted it then answers at once. What it gives to `ctx.update` is
   * kept before the agent runs or the person is asked.
   */
  readonly delegate: (ctx: ToolContext, live: LiveState) => Promise<HandedOver | null>;
};

export function isDelegating(tool: Tool): tool is DelegatingTool {
  return 'delegate' in tool;
}

/** The tool that the model calls to delegate a task to a subagent. */
export function delegationTool(subagents: readonly Subagent[]): Tool<DelegationInput, string> {
  const list = subagents
    .map(({ agent }) => `- ${agent.name}: ${agent.description || 'no description'}`)
    .join('\n');
  return {
    name: delegationToolName,
    description: `Delegates a task to another agent and returns its final answer. The agent sees nothing but the task. Agents:\n${list}`,
    input: delegationInput,
    inputSchema: inputSchema(subagents.map(({ agent }) => agent.name)),
    output: null,
    needsApproval: () => false,
    effects: 'once',
    timeoutMs: null,
    maxResultBytes: null,
    errorMessage: null,
    execute: refuse,
    pluginId: null,
  };
}

function refuse(): never {
  throw new AgentError('subagent-failed', 'Delegation only works inside an agent loop.');
}

function inputSchema(names: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: {
      agent: { type: 'string', enum: names, description: 'Who should do it' },
      task: { type: 'string', description: 'What to do, with everything the agent has to know' },
    },
    required: ['agent', 'task'],
    additionalProperties: false,
  };
}

/** A schema by hand: two strings need no library. The loop answers an unknown agent with the available names. */
const delegationInput: Schema<DelegationInput, DelegationInput> = {
  '~standard': {
    version: 1,
    vendor: 'vitrine',
    validate(value) {
      const input = (typeof value === 'object' && value !== null ? value : {}) as Partial<
        Record<'agent' | 'task', unknown>
      >;
      const { agent, task } = input;
      if (typeof agent === 'string' && typeof task === 'string') return { value: { agent, task } };
      const missing = (['agent', 'task'] as const).filter((key) => typeof input[key] !== 'string');
      return { issues: missing.map((key) => ({ message: 'expected a string', path: [key] })) };
    },
  },
};
