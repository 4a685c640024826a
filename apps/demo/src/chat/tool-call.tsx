import {
  AgentState,
  type ToolCallPart,
  type ToolExecution,
  toolResultText,
  useAgentState,
} from '@vitrine/react';
import type { JsonValue } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icon.tsx';

type Outcome = { readonly status: string; readonly text: string | null; readonly durationMs: number | null };

/** A call with its input, and its result as soon as there is one. */
export function ToolCall({ call }: { readonly call: ToolCallPart }): ReactNode {
  const execution = useAgentState((state) => findExecution(state, call.toolCallId));
  const output = useAgentState((state) => findOutput(state, call.toolCallId));
  const { status, text, durationMs } = outcomeOf(execution, output);
  return (
    <details className="tool-call" data-status={status}>
      <summary>
        <Icon name="tool" />
        <code>{call.toolName}</code>
        <span className="tool-status">{statusWords[status] ?? status}</span>
        {durationMs !== null && <span className="tool-duration">{formatDuration(durationMs)}</span>}
      </summary>
      <h3>Input</h3>
      <pre>{JSON.stringify(call.input, null, 2)}</pre>
      {text !== null && (
        <>
          <h3>{status === 'completed' ? 'Result' : 'Error'}</h3>
          <pre>{text}</pre>
        </>
      )}
    </details>
  );
}

const statusWords: Readonly<Record<string, string>> = {
  requested: 'waiting',
  'awaiting-approval': 'needs your approval',
  running: 'running…',
  completed: 'done',
  failed: 'failed',
  blocked: 'blocked',
  rejected: 'rejected',
  interrupted: 'interrupted',
};

function findExecution(state: AgentState, id: string): ToolExecution | null {
  for (const step of AgentState.steps(state)) {
    for (const execution of step.toolExecutions) if (execution.toolCall.id === id) return execution;
  }
  return null;
}

/** Calls of earlier runs have left the execution; their results are still among the messages. */
function findOutput(state: AgentState, id: string): { output: JsonValue; isError: boolean } | null {
  for (const message of AgentState.messages(state)) {
    if (message.role !== 'tool') continue;
    for (const part of message.parts) if (part.type === 'tool-result' && part.toolCallId === id) return part;
  }
  return null;
}

function outcomeOf(
  execution: ToolExecution | null,
  output: { output: JsonValue; isError: boolean } | null,
): Outcome {
  const status =
    execution?.status ?? (output === null ? 'requested' : output.isError ? 'failed' : 'completed');
  const result = execution && 'result' in execution ? execution.result : output?.output;
  const text = execution?.error?.message ?? (result === undefined ? null : toolResultText(result));
  return { status, text, durationMs: execution?.durationMs ?? null };
}

function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
