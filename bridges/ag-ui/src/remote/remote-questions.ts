import { isFinished } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import { noState, type RemoteAnswer, type RemoteState } from './remote-protocol.ts';
import { interruptsIn, type RemoteQuestion } from './remote-run.ts';
import type { SuspendedSubagent } from '@vitrine/inspect/internal/foreign/observed-session';
import type { RunLanes } from './subagent-lanes.ts';

export function ownStateOf({ plugins }: AgentState, pluginId: string): RemoteState {
  return { ...noState, ...(plugins[pluginId]?.data as RemoteState | undefined) };
}

export function remoteIdOf(call: ToolExecution | undefined): string {
  return call?.toolCall.providerCallId ?? '';
}

/** The calls of the step in flight, or else of the last one. */
export function lastCalls({ execution }: AgentState): readonly ToolExecution[] {
  const step = execution?.currentStep ?? null;
  const calls = step?.toolExecutions ?? [];
  return calls.length > 0 ? calls : (execution?.stepExecutions.at(-1)?.step.toolExecutions ?? []);
}

/** The calls of a step that wait for their results. */
export function openCalls(state: AgentState): readonly ToolExecution[] {
  return lastCalls(state).filter((call) => !isFinished(call));
}

/** The call of an id in the step in flight. */
export function callIn(state: AgentState, toolCallId: string): ToolExecution | undefined {
  return lastCalls(state).find(({ id }) => id === toolCallId);
}

/** The open question about a call, as far as the state has it. */
export function questionAbout(state: AgentState, id: string, pluginId: string): RemoteQuestion | undefined {
  const remoteId = callIn(state, id)?.toolCall.providerCallId;
  return ownStateOf(state, pluginId).interrupts.find((one) => one.toolCallId === remoteId);
}

export function questionText({ message }: RemoteQuestion): string {
  return message ?? 'Go on?';
}

/** An agent of a step in flight; call and parent are null for the one whose step it is. */
type AgentAt = {
  readonly state: AgentState;
  readonly call: ToolExecution | null;
  readonly parent: AgentAt | null;
};

/** The agent of a state, and the subagents below its open calls. */
function agentsIn(state: AgentState): readonly AgentAt[] {
  const agents: AgentAt[] = [{ state, call: null, parent: null }];
  for (const parent of agents)
    for (const call of openCalls(parent.state))
      if (call.childState !== null) agents.push({ state: call.childState, call, parent });
  return agents;
}

/** The answers to the open questions of an agent and of the subagents below its open calls. */
export function answersIn(state: AgentState, pluginId: string): readonly RemoteAnswer[] {
  return agentsIn(state).flatMap((at) =>
    answersTo(ownStateOf(at.state, pluginId).interrupts, lastCalls(at.state)),
  );
}

/** The subagents below the open calls of a state, those above first. */
export function suspendedIn(state: AgentState, pluginId: string): readonly SuspendedSubagent[] {
  return agentsIn(state).flatMap(({ state: child, call, parent }): readonly SuspendedSubagent[] => {
    const { subagent } = ownStateOf(child, pluginId);
    if (call === null || parent === null || subagent === undefined) return [];
    const parentSubagentRunId = ownStateOf(parent.state, pluginId).subagent?.id ?? null;
    const calls = openCalls(child).map(remoteIdOf);
    return [{ subagentRunId: subagent.id, parentSubagentRunId, toolCallId: remoteIdOf(call), calls }];
  });
}

/** True while a question with which a run has ended is not asked or not answered, in the root agent or below it. */
export function isAsking(lanes: RunLanes, root: AgentState): boolean {
  if (lanes.asked.size === 0) return false;
  return agentsIn(root).some(({ state: { execution }, call: parentCall }) => {
    const lane = parentCall === null ? lanes.root : lanes.ofCall(remoteIdOf(parentCall));
    if (lane === undefined || lanes.answered.has(lane) || execution?.status !== 'in-progress') return false;
    const step = execution.currentStep;
    // A subagent that answers has still to read the end of its lane.
    if (step === null || step.inferenceResponse === null) return true;
    const asked = new Set(interruptsIn(lane.finished).flatMap(({ id, toolCallId }) => [id, toolCallId]));
    return step.toolExecutions.some((call) => {
      if (isFinished(call)) return false;
      const id = remoteIdOf(call);
      if (lanes.ofCall(id) !== undefined) return call.childState === null;
      return asked.has(id) && (call.approval === null || call.approval.decision === null);
    });
  });
}

/** The answers to open questions, by what a person decided about their calls. */
export function answersTo(
  interrupts: readonly RemoteQuestion[],
  calls: readonly ToolExecution[],
): readonly RemoteAnswer[] {
  return interrupts.map((question): RemoteAnswer => {
    const found = calls.find(({ toolCall }) => toolCall.providerCallId === question.toolCallId);
    const { decision = null, comment = null, isEdited = false } = found?.approval ?? {};
    const { name = '', input = null } = found?.toolCall ?? {};
    return { question, decision, comment, call: { name, input }, isEdited };
  });
}
