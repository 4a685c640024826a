import { useAgentSession, usePendingApprovals } from '@vitrine/react';
import type { ReactNode } from 'react';
import { jsonText } from './json-text.ts';
import { VisibleText } from './visible-text.tsx';

/** Calls that wait for the user's word. */
export function Approvals(): ReactNode {
  return usePendingApprovals().map((pending) => <Approval key={pending.toolCall.id} {...pending} />);
}

type ApprovalProps = ReturnType<typeof usePendingApprovals>[number];

/** Only what can be seen can be approved. */
function Approval({ toolCall, approval }: ApprovalProps): ReactNode {
  const { approve, reject } = useAgentSession();
  const input = jsonText(toolCall.input);
  return (
    <div className="notice" role="group" aria-label={`Approval of ${toolCall.name}`}>
      <p>
        May <code>{toolCall.name}</code> run? <VisibleText text={approval?.reason ?? ''} />
      </p>
      {input === null ? (
        <p>What it would be given is nested too deeply to be shown, so it cannot be approved.</p>
      ) : (
        <pre>
          <VisibleText text={input} />
        </pre>
      )}
      {input !== null && (
        <button className="button primary" onClick={() => void approve(toolCall.id)}>
          Approve
        </button>
      )}
      <button className="button" onClick={() => void reject(toolCall.id)}>
        Reject
      </button>
    </div>
  );
}
