import type { ChatToolCall } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icon.tsx';

/** A call with its input, and its result as soon as there is one. */
export function ToolCall({ call }: { readonly call: ChatToolCall }): ReactNode {
  const { status, error, output, durationMs } = call;
  const text =
    error?.message ??
    (status === 'completed' ? (typeof output === 'string' ? output : JSON.stringify(output)) : null);
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
  'awaiting-output': 'needs your answer',
  running: 'running…',
  completed: 'done',
  failed: 'failed',
  blocked: 'blocked',
  rejected: 'rejected',
  interrupted: 'interrupted',
  stopped: 'stopped',
};

function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
