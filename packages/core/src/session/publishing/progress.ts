import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { currentStep, pendingApprovals } from '../../graph/agent-state/accessors.ts';
import { subagentName } from '../../graph/tool-execution.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import type { SessionActivity } from '../agent-session.ts';
import type { ActiveRun, Retrying, SessionModel } from '../machine/session-model.ts';
import { isOpen, waitsForPerson } from '../machine/state-facts.ts';
import { type RunProgress, waitingActivity } from './snapshot.ts';

/** Returns the current work of the active run; null without one. */
export function runProgress(
  { run, retrying }: SessionModel,
  state: AgentState,
  agent: AgentDefinition,
): RunProgress | null {
  if (run === null) return null;
  return { hasAnswer: hasAnswer(run, state), activity: workingActivity(state, agent, retrying, '') };
}

function hasAnswer({ phase, executionBefore }: ActiveRun, state: AgentState): boolean {
  const { execution } = state;
  if (phase !== 'running' || execution === null) return false;
  // Between the end of the execution and the end of the run nothing new begins.
  if (!isOpen(state)) return execution.executionId !== executionBefore;
  if (execution.stepExecutions.length > 0) return true;
  return (currentStep(state)?.outputMessages ?? []).some(({ parts }) => parts.length > 0);
}

/** The activity of a running agent; that of a subagent is nested in its parent's. */
function workingActivity(
  state: AgentState,
  agent: AgentDefinition | undefined,
  retrying: readonly Retrying[],
  path: string,
): SessionActivity {
  const step = isOpen(state) ? currentStep(state) : null;
  if (step === null && isOpen(state) && state.execution?.breakHit) return { type: 'paused' };
  if (step === null) return { type: 'thinking' };
  const running = step.toolExecutions.filter(({ status }) => status === 'running');
  const call = running.find((entry) => !isOnlyWaiting(entry)) ?? running[0];
  if (call !== undefined) {
    const { id: toolCallId, toolCall, childState, progress } = call;
    const others = running.length - 1;
    if (childState === null) return { type: 'tool', toolCallId, toolName: toolCall.name, progress, others };
    const name = subagentName(call);
    const child = agent?.subagents.find((entry) => entry.agent.name === name)?.agent;
    const activity = workingActivity(childState, child, retrying, `${path}/${toolCallId}`);
    return { type: 'subagent', toolCallId, name, activity, others };
  }
  if (pendingApprovals(state).length > 0 || state.execution?.breakHit) return waitingActivity(state);
  const attempt = retrying.find((entry) => entry.path === path);
  if (attempt !== undefined) {
    const maxAttempts = agent?.retry.maxAttempts ?? attempt.attempt;
    return { type: 'retrying', attempt: attempt.attempt, maxAttempts, until: attempt.until };
  }
  const isAnswering =
    step.inferenceResponse === null && step.outputMessages.at(-1)?.parts.at(-1)?.type === 'text';
  return { type: isAnswering ? 'answering' : 'thinking' };
}

function isOnlyWaiting({ childState }: ToolExecution): boolean {
  if (childState === null || !waitsForPerson(childState)) return false;
  return childState.execution?.waitingSince !== null;
}
