'use client';

import type { ReactNode } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { usePendingApprovals } from '../../field-hooks.ts';
import { jsonText } from '../kit/gist.ts';
import { useTexts } from '../texts-provider.tsx';
import { Approval } from './approval.tsx';

/**
 * All calls that wait for the person's approval, including those of subagents. Several calls get buttons
 * for all of them.
 */
export function Approvals(): ReactNode {
  const { respondAll } = useAgentSession();
  const texts = useTexts().approvals;
  const waiting = usePendingApprovals().filter(({ status }) => status === 'awaiting-approval');
  const all = (approved: boolean): void =>
    void respondAll(Object.fromEntries(waiting.map(({ toolCall }) => [toolCall.id, { approved }])));
  const isShowable = waiting.every(({ toolCall }) => jsonText(toolCall.input) !== null);
  return (
    <>
      {waiting.map((pending) => (
        <Approval key={pending.toolCall.id} pending={pending} />
      ))}
      {waiting.length > 1 && (
        <div className="vitrine-buttons">
          {isShowable && (
            <button type="button" className="vitrine-button" onClick={() => all(true)}>
              {texts.approveAll(waiting.length)}
            </button>
          )}
          <button type="button" className="vitrine-button" onClick={() => all(false)}>
            {texts.rejectAll(waiting.length)}
          </button>
        </div>
      )}
    </>
  );
}
