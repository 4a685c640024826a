import { useAgentSession, usePendingApprovals } from '@vitrine/react';
import type { ReactNode } from 'react';

/** Calls that wait for the user's word. */
export function Approvals(): ReactNode {
  const pending = usePendingApprovals();
  const { approve, reject } = useAgentSession();
  return pending.map(({ toolCall, approval }) => (
    <div key={toolCall.id} className="notice" role="group" aria-label={`Approval of ${toolCall.name}`}>
      <p>
        May <code>{toolCall.name}</code> run? {approval?.reason}
      </p>
      <pre>{JSON.stringify(toolCall.input, null, 2)}</pre>
      <button className="button primary" onClick={() => void approve(toolCall.id)}>
        Approve
      </button>
      <button className="button" onClick={() => void reject(toolCall.id)}>
        Reject
      </button>
    </div>
  ));
}
