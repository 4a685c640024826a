'use client';

import type { AgentErrorCode, SessionStatus } from '@vitrine/core';
import type { PersistenceState } from '@vitrine/core/types';
import { type ReactNode, useState } from 'react';
import type { UseAgentResult } from '../hooks/use-agent.ts';
import { isFailedImport, usePersonSentence } from './kit/use-person-sentence.ts';
import { useChatStatus } from './kit/use-chat-status.ts';
import { gist } from './kit/gist.ts';
import { Button } from './kit/icon-button.tsx';
import { TextAround, VisibleText } from './kit/visible-text.tsx';
import type { UsedTexts } from './texts.ts';
import { useTexts } from './texts-provider.tsx';

type NoticesProps = {
  /**
   * Opens a session by its id: the copy that keeps your answers after the stored session was changed on
   * another device. Without it the notice only mentions the copy, which is in the list of sessions.
   */
  readonly onFork?: (sessionId: string) => void;
  /** True leaves out the buttons that change the session. Default: false. */
  readonly readOnly?: boolean;
};

/** Notices about errors, interrupted runs and pending decisions, with buttons to act on them. */
export function Notices({ onFork, readOnly = false }: NoticesProps): ReactNode {
  const chat = useChatStatus();
  const { notices } = useTexts();
  const { status, error, persistence } = chat;
  const { forkedTo, warning } = persistence;
  const ofSession = ofStatus[status]?.(chat, notices) ?? null;
  // The notice of a conflict already says that the session is not saved.
  // So does the error of a session that could not be read.
  const isCovered = status === 'conflict' || (error !== null && error.message === persistence.error?.message);
  const unsaved = isCovered ? null : sentenceOfStore(persistence, notices);
  return (
    <div className="vitrine-notices">
      {status !== 'conflict' && <Failure readOnly={readOnly} />}
      {ofSession !== null && <Notice {...ofSession} {...(readOnly && { actions: [] })} />}
      {forkedTo !== undefined && (
        <Notice
          key={forkedTo}
          kind="warning"
          text={notices.forked}
          actions={onFork === undefined ? [] : [[notices.openCopy, () => onFork(forkedTo)]]}
          onDismiss={hideOnly}
        />
      )}
      {unsaved !== null && <Notice kind="warning" text={unsaved} />}
      {/* The server has other stores than the page, and the page hydrates what the server drew. */}
      {warning !== null && status !== 'loading' && (
        <Notice key={warning} text={notices.warning(warning, persistence.durability)} onDismiss={hideOnly} />
      )}
      <Unsent />
    </div>
  );
}

type Texts = UsedTexts['notices'];

const ofStatus: {
  readonly [Status in SessionStatus]?: (chat: UseAgentResult, texts: Texts) => NoticeProps | null;
} = {
  ready: ({ queue, resume }, { unanswered, answerNow }) =>
    queue.length === 0 ? null : { text: unanswered, actions: [[answerNow, resume]] },
  interrupted: ({ resume }, texts) => ({ text: texts.interrupted, actions: [[texts.resume, resume]] }),
  conflict: ({ resolveConflict }, { conflict, takeTheirs, keepMine }) => ({
    kind: 'warning',
    text: conflict,
    actions: [
      [takeTheirs, () => resolveConflict('rebase')],
      [keepMine, () => resolveConflict('fork')],
    ],
  }),
  deleted: (_, { deleted }) => ({ kind: 'warning', text: deleted }),
};

/** The sentence about a session that is not saved, or whose store does not answer; null for a saved one. */
function sentenceOfStore({ status, error }: PersistenceState, texts: Texts): string | null {
  if (status === 'unknown') return texts.noResponse(error?.message ?? null);
  if (status !== 'degraded') return null;
  return texts.unsaved(error === null || isFailedImport(error) ? null : error.message);
}

type NoticeProps = {
  readonly kind?: 'warning' | 'error';
  readonly text: ReactNode;
  /** The labels of buttons, with what they do. */
  readonly actions?: readonly (readonly [label: string, act: () => unknown])[];
  /** Called by the button that hides the notice. Default: no such button. */
  readonly onDismiss?: () => void;
};

const hideOnly = (): void => undefined;

function Notice({ kind, text, actions = [], onDismiss }: NoticeProps): ReactNode {
  const { common } = useTexts();
  const [isSeen, setSeen] = useState(false);
  if (isSeen) return null;
  const dismiss = (): void => {
    setSeen(true);
    onDismiss?.();
  };
  return (
    <div
      className={kind === undefined ? 'vitrine-notice' : `vitrine-notice vitrine-${kind}`}
      role={kind === 'error' ? 'alert' : 'status'}
    >
      {typeof text === 'string' ? <p>{text}</p> : text}
      {(actions.length > 0 || onDismiss) && (
        <div className="vitrine-buttons">
          {actions.map(([label, act]) => (
            <Button key={label} onClick={() => void act()}>
              {label}
            </Button>
          ))}
          {onDismiss && (
            <Button className="vitrine-quiet" onClick={dismiss}>
              {common.dismiss}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** Errors whose messages contain only ids and versions, so only the sentence is shown. */
const selfExplaining: ReadonlySet<string> = new Set<AgentErrorCode>(['session-conflict']);

function Failure({ readOnly }: { readonly readOnly: boolean }): ReactNode {
  const { error, retry, regenerate, clearError } = useChatStatus();
  const say = usePersonSentence();
  const { notices } = useTexts();
  if (error === null || say === null) return null;
  const isWhole = selfExplaining.has(error.code ?? '') || isFailedImport(error);
  const detail = isWhole ? '' : notices.detail(error.message, error.code);
  async function again(): Promise<void> {
    const { status, error: refusal } = await retry();
    // The answer was complete and a later operation failed.
    if (status === 'refused' && refusal?.code === 'session-idle') await regenerate();
  }
  const text = (
    <div className="vitrine-notice-text">
      <p>{say(error)}</p>
      {detail !== '' && (
        <p className="vitrine-detail">
          <VisibleText text={detail} />
        </p>
      )}
    </div>
  );
  const actions = readOnly ? [] : ([[notices.retry, again]] as const);
  return <Notice kind="error" text={text} actions={actions} onDismiss={readOnly ? hideOnly : clearError} />;
}

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
