import { type AgentDefinition, delegationToolName, type Subagent } from '../agent/agent-definition.ts';
import type { DelegationInput } from '../agent/agent-types.ts';
import {
  type DelegatingTool,
  type HandedOver,
  isDelegating,
  isDelegationTool,
  type LiveState,
  type ReportedResult,
} from '../agent/delegation-tool.ts';
import { type Tool, toolNamed } from '../agent/tool.ts';
import { filter } from '../agent/tools.ts';
import { finalResponse, status, stopSignal } from '../graph/agent-state/accessors.ts';
import { create } from '../graph/agent-state/create.ts';
import { endingError } from '../graph/agent-state/ending-error.ts';
import { activeMs, isFinished } from '../graph/execution-state.ts';
import { user } from '../graph/message.ts';
import { subagentName } from '../graph/tool-execution.ts';
import type { AgentState, ToolExecution } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import { callGuarded } from '../kit/async.ts';
import type { JsonObject } from '../kit/json.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import { commit, effectiveLlmConfig, stateOf } from '../run/run.ts';
import type { Batch, CallChanges, Feature, ReadyCall, Run, RunEnd } from '../run/slots.ts';
import { callOf } from '../run/state-at.ts';
import { beginCall, cutResult } from '../run/tools/batch.ts';
import { createCallChanges } from '../run/tools/call-changes.ts';
import { settleCall } from '../run/tools/end-call.ts';

/** Runs other agents for calls: those of the delegation tool, and those of tools that learn it from a running call. */
export const subagents: Feature = (run) => ({
  resume: (batch, call) => (call.childState === null ? null : resumeSubagent(batch, call)),
  delegate: (ready) => !isDelegationTool(ready.tool) || delegate(run, ready),
  async aroundExecute(execution, next) {
    const { batch, call, tool, changes } = execution;
    // Nobody is asked about a lost call, and a replay has nobody to ask.
    const isAsked = !execution.isLost && run.depth < run.maxDepth && run.recording === null;
    if (!isAsked || !isDelegating(tool)) return next(execution);
    const handed = await askDelegate(batch, call.id, tool, changes);
    if (handed === null) return next(execution);
    keepUpdates(run, changes);
    return { goOn: () => handOver(batch, call, handed) };
  },
});

async function delegate(run: Run, { batch, call, input }: ReadyCall): Promise<false> {
  await beginCall(batch, call.id);
  await runSubagent(batch, call, delegationOf(run, input as DelegationInput));
  return false;
}

/** Runs the agent of a call, or asks the person about it. */
async function handOver(batch: Batch, call: ToolExecution, handed: HandedOver): Promise<void> {
  if (handed.kind === 'agent')
    return runSubagent(batch, call, { ...handed, name: handed.subagent.agent.name });
  const { reason } = handed;
  commit(batch.run, { type: 'approval-request', toolCallId: call.id, reason, isJoint: true });
}

/** Goes on with the subagent of a call, also in a run that has ended and offers no tools. */
async function resumeSubagent(batch: Batch, call: ToolExecution): Promise<void> {
  const { run, tools } = batch;
  const { name } = call.toolCall;
  const isOwn = name === delegationToolName && run.agent.subagents.length > 0;
  const ofPlugins = run.agent.plugins.flatMap((plugin) => plugin.tools);
  const tool = isOwn ? undefined : (toolNamed(tools, name) ?? toolNamed(ofPlugins, name));
  if (tool === undefined || !isDelegating(tool))
    return runSubagent(batch, call, delegationOf(run, { agent: subagentName(call), task: '' }));
  const changes = createCallChanges(run, call);
  const handed = await askDelegate(batch, call.id, tool, changes).finally(changes.close);
  keepUpdates(run, changes);
  if (handed !== null) await handOver(batch, call, handed);
}

function askDelegate(
  batch: Batch,
  id: string,
  tool: DelegatingTool,
  changes: CallChanges,
): Promise<HandedOver | null> {
  const { run, idle } = batch;
  const { lease, signal } = run;
  const live: LiveState = {
    now: () => stateOf(run),
    untilChanged: () =>
      new Promise((resolve) => {
        const leave = lease.subscribe(() => {
          leave();
          resolve();
        });
      }),
    idle(wait) {
      idle.add(id);
      batch.wake();
      return wait.finally(() => idle.delete(id));
    },
  };
  const ask = (): Promise<HandedOver | null> => tool.delegate(changes.context(tool, signal), live);
  const author = `tool ${JSON.stringify(tool.name)}`;
  return signal.aborted ? ask() : callGuarded({ author, signal, timeoutMs: null }, ask);
}

function keepUpdates(run: Run, changes: CallChanges): void {
  for (const error of changes.applyUpdates())
    commit(run, { type: 'error-record', error: toErrorInfo(run, error) });
}

/** The work of a subagent; the agent is undefined when there is none of that name. */
type Delegation = {
  readonly name: string;
  readonly task: string;
  readonly subagent: Subagent | undefined;
  /** The result of the call when the agent has ended; null for what the agent has said. */
  readonly result: () => Promise<ReportedResult | null>;
};

/** The work for a subagent of the definition. */
function delegationOf(run: Run, { agent: name, task }: DelegationInput): Delegation {
  const subagent = run.agent.subagents.find((candidate) => candidate.agent.name === name);
  return { name, task, subagent, result: () => Promise.resolve(null) };
}

/**
 * Runs another agent on a task, or resumes one that waited for a person. It begins with a fresh state,
 * spends within the budgets of its parents, and ends when they are aborted. The parent's model receives
 * only its final text, unless the work has a result of its own.
 */
async function runSubagent(batch: Batch, call: ToolExecution, work: Delegation): Promise<void> {
  const { run } = batch;
  const { id } = call;
  const { name, task, subagent } = work;
  const startedAt = run.env.monotonic() - workedBefore(call);
  if (subagent === undefined) return finish(batch, id, unknownAgent(run, name), startedAt);
  if (run.depth >= run.maxDepth) return finish(batch, id, tooDeep(run, name), startedAt);
  if (call.childState === null)
    commit(run, { type: 'subagent-start', toolCallId: id, name, child: newChild(run, subagent, task) });
  // A reload may have come between the end of the child and that of the call; the work of the child is not repeated.
  const end = hasEnded(call.childState) ? 'ended' : await driveChild(batch, id, subagent);
  const child = callOf(stateOf(run), id)?.childState;
  if (end === 'paused' || !child) return;
  commit(run, { type: 'subagent-end', toolCallId: id, status: status(child) ?? 'failed' });
  await finish(batch, id, (await reportedResult(run, work)) ?? outcomeOf(name, child), startedAt);
  if (run.signal.aborted) throw run.signal.reason;
}

function driveChild({ run, tools }: Batch, id: string, subagent: Subagent): Promise<RunEnd> {
  const { agent, inheritTools } = subagent;
  return run.drive({
    ...run,
    agent: withConfigOf(run, agent),
    path: [...run.path, id],
    model: null,
    turnId: null,
    depth: run.depth + 1,
    lentTools: inheritTools === null ? [] : filter(ownTools(tools), inheritTools),
    parentLedger: run.ledger,
    takeSteered: () => [],
    checkpoint: async () => undefined,
  });
}

/** The subagent with the model, settings and prices of its parent, as far as it names none of its own. */
function withConfigOf(run: Run, agent: AgentDefinition): AgentDefinition {
  const config = effectiveLlmConfig(run);
  const own = agent.llmConfig;
  if (config === null || own?.prices !== undefined) return agent;
  if (own === null) return { ...agent, llmConfig: config };
  return config.prices === undefined ? agent : { ...agent, llmConfig: { ...own, prices: config.prices } };
}

function hasEnded(child: AgentState | null): boolean {
  return child !== null && child.execution !== null && isFinished(child.execution);
}

/** The result that the work has of its own; null for none, and when the run is aborted first. */
function reportedResult({ signal }: Run, { result }: Delegation): Promise<ReportedResult | null> {
  return callGuarded({ author: 'subagent', signal, timeoutMs: null }, result).catch(() => null);
}

type Outcome = ReportedResult | { readonly outcome: 'failed'; readonly error: AgentError };

/** Ends the call with the child's answer as its result. */
async function finish(batch: Batch, toolCallId: string, ended: Outcome, startedAt: number): Promise<void> {
  const { run } = batch;
  const { outcome: status } = ended;
  const error =
    'error' in ended ? ended.error : status === 'completed' ? null : new Error(String(ended.result));
  commit(run, {
    type: 'tool-end',
    toolCallId,
    status,
    ...('result' in ended && error === null ? { result: cutResult(run, undefined, ended.result) } : {}),
    error: error === null ? null : toErrorInfo(run, error),
    durationMs: run.env.monotonic() - startedAt,
    pluginWrites: [],
  });
  await settleCall(batch, toolCallId);
}

function workedBefore({ childState }: ToolExecution): number {
  return childState === null ? 0 : activeMs(childState, childState.updatedAt);
}

function newChild(run: Run, { agent }: Subagent, task: string): AgentState {
  const { env } = run;
  const messages = [user(task, {}, env)];
  return create({ systemPrompt: agent.systemPrompt, messages, parentAgentId: stateOf(run).agentId }, env);
}

function ownTools(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter((tool) => tool.pluginId === null && tool.name !== delegationToolName);
}

function outcomeOf(name: string, child: AgentState): Outcome {
  if (status(child) === 'completed') return { outcome: 'completed', result: finalResponse(child) };
  const signal = stopSignal(child);
  const isFailed = status(child) === 'failed';
  const why = isFailed
    ? (endingError(child)?.message ?? signal?.message)
    : `${signal?.reason}: ${signal?.message}`;
  const message = `Subagent ${JSON.stringify(name)} ${isFailed ? 'failed' : 'was stopped'}: ${why ?? 'no reason given'}`;
  return failWith(message, { name, stopReason: signal?.reason ?? null });
}

function failWith(message: string, data: JsonObject): Outcome {
  return { outcome: 'failed', error: new AgentError('subagent-failed', message, { data }) };
}

function unknownAgent(run: Run, name: string): Outcome {
  const available = run.agent.subagents.map(({ agent }) => agent.name);
  const message = `There is no subagent ${JSON.stringify(name)}. Available: ${available.join(', ')}.`;
  return failWith(message, { name, available });
}

function tooDeep(run: Run, name: string): Outcome {
  const { depth, maxDepth } = run;
  const message = `Subagent ${JSON.stringify(name)} was not started: delegation is ${depth} deep, ${maxDepth} is allowed.`;
  return failWith(message, { name, depth, maxDepth });
}
