import { type Subagent, delegationToolName } from './agent-definition.ts';
import type { JsonObject } from '../kit/json.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { Schema } from './schema.ts';
import type { Tool } from './tool.ts';
import type { DelegationInput } from './agent-types.ts';

/** True for the delegation tool, whose calls the loop answers with a run of a subagent. */
export function isDelegationTool(tool: Tool): boolean {
  return tool.execute === refuse;
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

/**
 * A schema by hand, because two strings need no library. The loop answers an unknown agent with the available names.
 */
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
