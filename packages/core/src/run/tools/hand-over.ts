import { delegationToolName } from '../../agent/agent-definition.ts';
import {
  type DelegatingTool,
  type HandedOver,
  isDelegating,
  type LiveState,
} from '../../agent/delegation-tool.ts';
import type { Tool } from '../../agent/tool.ts';
import { subagentName } from '../../graph/tool-execution.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { callGuarded } from '../../kit/async.ts';
import { commit, type Run, stateOf } from '../run.ts';
import { toErrorInfo } from '../run-hooks.ts';
import { type Batch, toolNamed } from './batch.ts';
import { type CallChanges, createCallChanges } from './call-changes.ts';
import { runSubagent, workHandedOver, delegationOf } from './subagent.ts';

/** Asks a tool what its running call is; null for a call that the tool itself ends. A replay has nobody to ask. */
export async function handedOver(
  batch: Batch,
  call: ToolExecution,
  tool: Tool,
  changes: CallChanges,
): Promise<HandedOver | null> {
  const { run } = batch;
  if (!isDelegating(tool) || run.depth >= run.maxDepth || run.recording !== null) return null;
  const handed = await askDelegate(batch, call.id, tool, changes);
  if (handed !== null) keepUpdates(run, changes);
  return handed;
}

/** Runs the agent of a call, or asks the person about it. */
export async function handOver(batch: Batch, call: ToolExecution, handed: HandedOver): Promise<void> {
  if (handed.kind === 'agent') return runSubagent(batch, call, workHandedOver(handed));
  const { reason } = handed;
  commit(batch.run, { type: 'approval-request', toolCallId: call.id, reason, isJoint: true });
}

/** Goes on with the subagent of a call, also in a run that has ended and offers no tools. */
export async function resumeSubagent(batch: Batch, call: ToolExecution): Promise<void> {
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
