import type { ChatToolCall } from '@vitrine/core';
import type { ReactNode } from 'react';

const words: Readonly<Record<ChatToolCall['status'], string>> = {
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

/** What has become of a call, in words, and how long it took. */
export function ToolStatus({ call }: { readonly call: ChatToolCall }): ReactNode {
  const { status, durationMs } = call;
  return (
    <span className="vitrine-tool-end">
      <span className="vitrine-tool-status">{words[status]}</span>
      {durationMs !== null && <span className="vitrine-tool-duration">{formatDuration(durationMs)}</span>}
    </span>
  );
}

function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
