import { explainError } from '@vitrine/react';
import type { ReactNode } from 'react';
import { useChatStatus } from './use-chat-status.ts';
import { VisibleText } from './visible-text.tsx';

/** What went wrong or was left unfinished, and what can be done about it. */
export function Notices(): ReactNode {
  const { error, status, persistence, retry, resume, clearError } = useChatStatus();
  return (
    <div className="notices">
      {error && (
        <div className="notice error" role="alert">
          <div className="notice-text">
            <p>{explainError(error).person}</p>
            <p className="detail">
              <VisibleText text={error.message} />
            </p>
          </div>
          <button className="button" onClick={() => void retry()}>
            Retry
          </button>
          <button className="button quiet" onClick={clearError}>
            Dismiss
          </button>
        </div>
      )}
      {status === 'interrupted' && (
        <div className="notice" role="status">
          <p>The last run was interrupted before it ended.</p>
          <button className="button" onClick={() => void resume()}>
            Resume
          </button>
        </div>
      )}
      {status === 'deleted' && (
        <div className="notice warning" role="status">
          <p>This session was deleted. Nothing can be said in it any more, unless it is brought back.</p>
        </div>
      )}
      {persistence.status === 'degraded' && (
        <div className="notice warning" role="status">
          <p>This session could not be saved: {persistence.error?.message}</p>
        </div>
      )}
    </div>
  );
}
