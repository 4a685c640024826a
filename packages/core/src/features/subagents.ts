import { delegationToolName } from '../agent/agent-definition.ts';
import type { DelegationInput } from '../agent/agent-types.ts';
import {
  type DelegatingTool,
  type HandedOver,
  isDelegating,
  isDelegationTool,
  type LiveState,
} from '../agent/delegation-tool.ts';
import { subagentName } from '../graph/tool-execution.ts';
import type { ToolExecution } from '../graph/types.ts';
import { callGuarded } from '../kit/async.ts';
import { commit, stateOf } from '../run/run.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import { beginCall, toolNamed } from '../run/tools/batch.ts';
import { createCallChanges } from '../run/tools/call-changes.ts';
import { runSubagent, workHandedOver, delegationOf } from './subagent-runs.ts';
import type { Feature, ReadyCall, Run, Batch, CallChanges } from '../run/slots.ts';

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
  if (handed.kind === 'agent') return runSubagent(batch, call, workHandedOver(handed));
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
