import type { Subagent } from '../../agent/agent-definition.ts';
import { delegationToolName } from '../../agent/delegation-tool-name.ts';
import { cappedBy, remaining } from '../../graph/limits/execution-budget.ts';
import { add } from '../../graph/usage.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { user } from '../../graph/message.ts';
import {
  finalResponse,
  status,
  stepCount,
  stopSignal,
  usage,
  errors,
} from '../../graph/agent-state/accessors.ts';
import { changeExecution } from '../../graph/agent-state/change.ts';
import { create } from '../../graph/agent-state/create.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import type { DelegationInput } from '../../agent/delegation-tool.ts';
import { filter } from '../../agent/tool-list.ts';
import type { Tool } from '../../agent/tool.ts';
import { emit, type Run, spent } from '../run.ts';

export type SubagentOutcome =
  | { readonly kind: 'answered'; readonly text: string; readonly childState: AgentState }
  | { readonly kind: 'failed'; readonly error: AgentError; readonly childState: AgentState | null }
  | { readonly kind: 'paused'; readonly childState: AgentState };

/**
 * Runs another agent on a task, or takes up one that waited for the user. It starts from a fresh state, spends within
 * what its parent has left, and ends when its parent is aborted; the parent's model sees only its final text.
 */
export async function runSubagent(
  run: Run,
  execution: ToolExecution,
  input: DelegationInput | null,
  tools: readonly Tool[],
  onChildState: (state: AgentState) => void,
): Promise<SubagentOutcome> {
  const { agent: name, task } = input ?? (execution.toolCall.input as DelegationInput);
  const subagent = run.agent.subagents.find((candidate) => candidate.agent.name === name);
  if (subagent === undefined) return failed(unknownAgent(run, name), null);
  if (run.depth >= run.maxDepth) return failed(tooDeep(run, name), null);
  const start = execution.childState ?? newChild(run, subagent, task);
  const toolCallId = execution.toolCall.id;
  const childAgentId = start.agentId;
  emit(run, {
    type: 'subagent-start',
    toolCallId,
    name,
    childAgentId,
    depth: run.depth,
    maxDepth: run.maxDepth,
  });
  const child = await run.drive({
    agent: subagent.agent,
    state: start,
    env: run.env,
    hookContract: run.hookContract,
    budget: cappedBy(subagent.agent.budget, remaining(run.budget, spent(run))),
    depth: run.depth + 1,
    maxDepth: run.maxDepth,
    extraTools: subagent.inheritTools === null ? [] : filter(ownTools(tools), subagent.inheritTools),
    signal: run.signal,
    onEvent: run.onEvent,
    async checkpoint(state) {
      onChildState(state);
    },
  });
  if (status(child) === 'in-progress') return { kind: 'paused', childState: child };
  charge(run, child);
  const stopReason = stopSignal(child)?.reason ?? null;
  const end = {
    name,
    childAgentId,
    status: status(child) ?? 'failed',
    stopReason,
    steps: stepCount(child),
    usage: usage(child),
  };
  emit(run, { type: 'subagent-end', toolCallId, ...end });
  return outcomeOf(name, child);
}

function newChild(run: Run, { agent }: Subagent, task: string): AgentState {
  const { env, state } = run;
  const messages = [user(task, {}, env)];
  return create({ systemPrompt: agent.systemPrompt, messages, parentAgentId: state.agentId }, env);
}

function ownTools(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter((tool) => tool.pluginId === null && tool.name !== delegationToolName);
}

/** What the child spent counts for the parent's limits. */
function charge(run: Run, child: AgentState): void {
  run.state = changeExecution(
    run.state,
    (execution) => ({ ...execution, childUsage: add(execution.childUsage, usage(child)) }),
    run.env,
  );
}

function outcomeOf(name: string, childState: AgentState): SubagentOutcome {
  const signal = stopSignal(childState);
  if (status(childState) === 'completed')
    return { kind: 'answered', text: finalResponse(childState), childState };
  const isFailed = status(childState) === 'failed';
  const why = isFailed
    ? (errors(childState).at(-1)?.message ?? signal?.message)
    : `${signal?.reason}: ${signal?.message}`;
  const message = `Subagent ${JSON.stringify(name)} ${isFailed ? 'failed' : 'was stopped'}: ${why ?? 'no reason given'}`;
  return failed(
    new AgentError('subagent-failed', message, { data: { name, stopReason: signal?.reason ?? null } }),
    childState,
  );
}

function failed(error: AgentError, childState: AgentState | null): SubagentOutcome {
  return { kind: 'failed', error, childState };
}

function unknownAgent(run: Run, name: string): AgentError {
  const names = run.agent.subagents.map(({ agent }) => agent.name);
  return new AgentError(
    'subagent-failed',
    `There is no subagent ${JSON.stringify(name)}. Available: ${names.join(', ')}.`,
    {
      data: { name, available: names },
    },
  );
}

function tooDeep(run: Run, name: string): AgentError {
  return new AgentError(
    'subagent-failed',
    `Subagent ${JSON.stringify(name)} was not started: delegation is ${run.depth} deep, ${run.maxDepth} is allowed.`,
    {
      data: { name, depth: run.depth, maxDepth: run.maxDepth },
    },
  );
}
