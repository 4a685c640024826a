'use client';

import type { AgentErrorCode } from '@vitrine/core';
import type { PersistenceState } from '@vitrine/core/types';
import type { ReactNode } from 'react';
import { isFailedImport } from './kit/failed-import.ts';
import { useChatStatus } from './kit/use-chat-status.ts';
import { usePersonSentence } from './kit/use-person-sentence.ts';
import { VisibleText } from './kit/visible-text.tsx';

/** Errors whose words are ids and numbers of versions: a person is told all by the sentence. */
const tellsAll: ReadonlySet<string> = new Set<AgentErrorCode>(['session-conflict']);

/** What went wrong or was left unfinished, and what can be done about it. */
export function Notices(): ReactNode {
  const { error, status, queue, persistence, retry, resume, clearError } = useChatStatus();
  const say = usePersonSentence();
  return (
    <div className="vitrine-notices">
      {error && say && (
        <div className="vitrine-notice vitrine-error" role="alert">
          <div className="vitrine-notice-text">
            <p>{say(error)}</p>
            {!tellsAll.has(error.code ?? '') && !isFailedImport(error) && (
              <p className="vitrine-detail">
                <VisibleText text={error.message} />
              </p>
            )}
          </div>
          <button type="button" className="vitrine-button" onClick={() => void retry()}>
            Retry
          </button>
          <button type="button" className="vitrine-button vitrine-quiet" onClick={clearError}>
            Dismiss
          </button>
        </div>
      )}
      {status === 'interrupted' && (
        <div className="vitrine-notice" role="status">
          <p>The last run was interrupted before it ended.</p>
          <button type="button" className="vitrine-button" onClick={() => void resume()}>
            Resume
          </button>
        </div>
      )}
      {status === 'ready' && queue.length > 0 && (
        <div className="vitrine-notice" role="status">
          <p>What you sent has not been answered yet.</p>
          <button type="button" className="vitrine-button" onClick={() => void resume()}>
            Answer now
          </button>
        </div>
      )}
      {status === 'deleted' && (
        <div className="vitrine-notice vitrine-warning" role="status">
          <p>This session was deleted. Nothing can be said in it any more, unless it is brought back.</p>
        </div>
      )}
      {persistence.status === 'degraded' && (
        <div className="vitrine-notice vitrine-warning" role="status">
          <p>{unsaved(persistence.error)}</p>
        </div>
      )}
    </div>
  );
}

function unsaved(error: PersistenceState['error']): string {
  const sentence = 'This session could not be saved';
  return error === null || isFailedImport(error) ? `${sentence}.` : `${sentence}: ${error.message}`;
}
