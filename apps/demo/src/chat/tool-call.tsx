import type { ChatToolCall } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icon.tsx';
import { jsonText } from './json-text.ts';
import { VisibleText } from './visible-text.tsx';

/** A call with its input, and its result as soon as there is one. */
export function ToolCall({ call }: { readonly call: ChatToolCall }): ReactNode {
  const { status, error, output, durationMs } = call;
  const text =
    error?.message ??
    (status === 'completed' ? (typeof output === 'string' ? output : jsonText(output)) : null);
  const hasEnded = error !== null || status === 'completed';
  return (
    <details className="tool-call" data-status={status}>
      <summary>
        <Icon name="tool" />
        <code>
          <VisibleText text={call.toolName} />
        </code>
        <span className="tool-status">{statusWords[status] ?? status}</span>
        {durationMs !== null && <span className="tool-duration">{formatDuration(durationMs)}</span>}
      </summary>
      <h3>Input</h3>
      <pre>
        <VisibleText text={jsonText(call.input) ?? tooDeep} />
      </pre>
      {hasEnded && (
        <>
          <h3>{status === 'completed' ? 'Result' : 'Error'}</h3>
          <pre>
            <VisibleText text={text ?? tooDeep} />
          </pre>
        </>
      )}
    </details>
  );
}

const tooDeep = 'It is nested too deeply to be shown.';

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
