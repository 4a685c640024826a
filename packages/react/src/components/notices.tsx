'use client';

import type { AgentErrorCode, SessionStatus } from '@vitrine/core';
import type { Durability, PersistenceState } from '@vitrine/core/types';
import { type ComponentType, type ReactNode, useState } from 'react';
import { isFailedImport, usePersonSentence } from './kit/use-person-sentence.ts';
import { useChatStatus } from './kit/use-chat-status.ts';
import { gist } from './kit/gist.ts';
import { TextAround, VisibleText } from './kit/visible-text.tsx';
import { useTexts } from './texts-provider.tsx';

/** Props of `Notices`; all are optional. */
export type NoticesProps = {
  /**
   * Opens a session by its id: the copy that keeps your answers after the stored session was changed on
   * another device. Without it the notice only mentions the copy, which is in the list of sessions.
   */
  readonly onFork?: (sessionId: string) => void;
};

/** Notices about errors, interrupted runs and pending decisions, with buttons to act on them. */
export function Notices({ onFork }: NoticesProps): ReactNode {
  const { status, error, persistence } = useChatStatus();
  const { forkedTo, warning } = persistence;
  const OfStatus = ofStatus[status];
  // The notice of a conflict already says that the session is not saved.
  // So does the error of a session that could not be read.
  const isCovered = status === 'conflict' || (error !== null && error.message === persistence.error?.message);
  const OfStore = isCovered ? null : ofStore[persistence.status];
  return (
    <div className="vitrine-notices">
      {status !== 'conflict' && <Failure />}
      {OfStatus && <OfStatus />}
      {forkedTo !== undefined && <Copy key={forkedTo} sessionId={forkedTo} onFork={onFork} />}
      {OfStore && <OfStore />}
      {/* The server has other stores than the page, and the page hydrates what the server drew. */}
      {warning !== null && status !== 'loading' && (
        <Warning key={warning} warning={warning} durability={persistence.durability} />
      )}
      <Unsent />
    </div>
  );
}

/** The notice of each session status; null for a status that needs none. */
const ofStatus: { readonly [Status in SessionStatus]: ComponentType | null } = {
  loading: null,
  ready: Unanswered,
  submitted: null,
  streaming: null,
  'awaiting-input': null,
  interrupted: Interrupted,
  conflict: Conflict,
  error: null,
  deleted: Deleted,
};

/** The notice of each state of the store; null for a state that needs none. */
const ofStore: { readonly [Status in PersistenceState['status']]: ComponentType | null } = {
  off: null,
  idle: null,
  saving: null,
  saved: null,
  degraded: Unsaved,
  unknown: Silent,
};

type NoticeProps = { readonly kind?: 'warning' | 'error'; readonly children: ReactNode };

function Notice({ kind, children }: NoticeProps): ReactNode {
  const role = kind === 'error' ? 'alert' : 'status';
  return (
    <div className={kind === undefined ? 'vitrine-notice' : `vitrine-notice vitrine-${kind}`} role={role}>
      {children}
    </div>
  );
}

type ButtonProps = { readonly onClick: () => void; readonly isQuiet?: boolean; readonly children: ReactNode };

function Button({ onClick, isQuiet = false, children }: ButtonProps): ReactNode {
  const className = isQuiet ? 'vitrine-button vitrine-quiet' : 'vitrine-button';
  return (
    <button type="button" className={className} onClick={onClick}>
      {children}
    </button>
  );
}

/** Errors whose messages contain only ids and versions, so only the sentence is shown. */
const selfExplaining: ReadonlySet<string> = new Set<AgentErrorCode>(['session-conflict']);

function Failure(): ReactNode {
  const { error, retry, regenerate, clearError } = useChatStatus();
  const say = usePersonSentence();
  const { common, notices } = useTexts();
  if (error === null || say === null) return null;
  const isWhole = selfExplaining.has(error.code ?? '') || isFailedImport(error);
  const detail = isWhole ? '' : notices.detail(error.message, error.code);
  async function again(): Promise<void> {
    const { status, error: refusal } = await retry();
    // The answer was complete and a later operation failed.
    if (status === 'refused' && refusal?.code === 'session-idle') await regenerate();
  }
  return (
    <Notice kind="error">
      <div className="vitrine-notice-text">
        <p>{say(error)}</p>
        {detail !== '' && (
          <p className="vitrine-detail">
            <VisibleText text={detail} />
          </p>
        )}
      </div>
      <div className="vitrine-buttons">
        <Button onClick={() => void again()}>{notices.retry}</Button>
        <Button onClick={clearError} isQuiet>
          {common.dismiss}
        </Button>
      </div>
    </Notice>
  );
}

function Interrupted(): ReactNode {
  const { resume } = useChatStatus();
  const { notices } = useTexts();
  return (
    <Notice>
      <p>{notices.interrupted}</p>
      <Button onClick={() => void resume()}>{notices.resume}</Button>
    </Notice>
  );
}

function Unanswered(): ReactNode {
  const { queue, resume } = useChatStatus();
  const { notices } = useTexts();
  if (queue.length === 0) return null;
  return (
    <Notice>
      <p>{notices.unanswered}</p>
      <Button onClick={() => void resume()}>{notices.answerNow}</Button>
    </Notice>
  );
}

function Deleted(): ReactNode {
  const { notices } = useTexts();
  return (
    <Notice kind="warning">
      <p>{notices.deleted}</p>
    </Notice>
  );
}

function Conflict(): ReactNode {
  const { resolveConflict } = useChatStatus();
  const { notices } = useTexts();
  return (
    <Notice kind="warning">
      <p>{notices.conflict}</p>
      <div className="vitrine-buttons">
        <Button onClick={() => void resolveConflict('rebase')}>{notices.takeTheirs}</Button>
        <Button onClick={() => void resolveConflict('fork')}>{notices.keepMine}</Button>
      </div>
    </Notice>
  );
}

type CopyProps = { readonly sessionId: string; readonly onFork: NoticesProps['onFork'] };

/** Notice that the overtaken answers were kept in a session of their own. */
function Copy({ sessionId, onFork }: CopyProps): ReactNode {
  const { common, notices } = useTexts();
  const [isSeen, setSeen] = useState(false);
  if (isSeen) return null;
  return (
    <Notice kind="warning">
      <p>{notices.forked}</p>
      <div className="vitrine-buttons">
        {onFork && <Button onClick={() => onFork(sessionId)}>{notices.openCopy}</Button>}
        <Button onClick={() => setSeen(true)} isQuiet>
          {common.dismiss}
        </Button>
      </div>
    </Notice>
  );
}

function Unsaved(): ReactNode {
  const { error } = useChatStatus().persistence;
  const { notices } = useTexts();
  const isCovered = error === null || isFailedImport(error);
  return (
    <Notice kind="warning">
      <p>{notices.unsaved(isCovered ? null : error.message)}</p>
    </Notice>
  );
}

/** Notice that the store does not respond. The session continues by itself when it does. */
function Silent(): ReactNode {
  const { notices } = useTexts();
  const { error } = useChatStatus().persistence;
  return (
    <Notice kind="warning">
      <p>{notices.noResponse(error?.message ?? null)}</p>
    </Notice>
  );
}

/** The messages and answers that wait for the connection to a server. */
function Unsent(): ReactNode {
  const { unsent } = useChatStatus();
  const { notices } = useTexts();
  if (unsent.length === 0) return null;
  return (
    <ul className="vitrine-queue" aria-label={notices.unsentList}>
      {unsent.map(({ id, type, text }) => (
        <li key={id}>
          <span className="vitrine-gist" dir="auto">
            {type === 'answer' ? (
              notices.unsentAnswer
            ) : (
              <TextAround text={notices.unsent}>
                <VisibleText text={gist(text)} />
              </TextAround>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

type WarningProps = { readonly warning: string; readonly durability: Durability };

/** Notice that the browser may not keep the data. */
function Warning({ warning, durability }: WarningProps): ReactNode {
  const { common, notices } = useTexts();
  const [isSeen, setSeen] = useState(false);
  if (isSeen) return null;
  return (
    <Notice>
      <p>{notices.warning(warning, durability)}</p>
      <Button onClick={() => setSeen(true)} isQuiet>
        {common.dismiss}
      </Button>
    </Notice>
  );
}
