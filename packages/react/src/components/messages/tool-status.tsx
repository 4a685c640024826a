'use client';

import type { ChatToolCall } from '@vitrine/core';
import type { ReactNode } from 'react';
import { useIsInterrupted } from '../kit/use-is-interrupted.ts';
import { useTexts } from '../texts-provider.tsx';

/** The status of a call in words, and its duration. */
export function ToolStatus({ call }: { readonly call: ChatToolCall }): ReactNode {
  const { status, durationMs } = call;
  const { callStatus, common } = useTexts();
  // A newer version may have stored a status that this one does not know.
  const words: Readonly<Record<ChatToolCall['status'], string>> = callStatus;
  return (
    <span className="vitrine-tool-end">
      <span className="vitrine-tool-status">
        {status === 'running' ? <Running /> : (words[status] ?? status)}
      </span>
      {durationMs !== null && <span className="vitrine-tool-duration">{common.duration(durationMs)}</span>}
    </span>
  );
}

/** A component of its own, so that only running calls subscribe to the status of the session. */
function Running(): ReactNode {
  const { interrupted, running } = useTexts().callStatus;
  return useIsInterrupted() ? interrupted : running;
}
