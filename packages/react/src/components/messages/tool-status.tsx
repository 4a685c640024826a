'use client';

import type { ChatToolCall } from '@vitrine/core';
import type { ReactNode } from 'react';
import { useIsInterrupted } from '../kit/use-is-interrupted.ts';

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

/** The status of a call in words, and its duration. */
export function ToolStatus({ call }: { readonly call: ChatToolCall }): ReactNode {
  const { status, durationMs } = call;
  return (
    <span className="vitrine-tool-end">
      <span className="vitrine-tool-status">
        {status === 'running' ? <Running /> : (words[status] ?? status)}
      </span>
      {durationMs !== null && <span className="vitrine-tool-duration">{formatDuration(durationMs)}</span>}
    </span>
  );
}

/** A component of its own, so that only running calls subscribe to the status of the session. */
function Running(): ReactNode {
  return words[useIsInterrupted() ? 'interrupted' : 'running'];
}

function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
