'use client';

import type { SessionSummary } from '@vitrine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useDeleteSession } from '../../hooks/stored-mutations.ts';
import { visibleText } from '../kit/hidden-characters.ts';
import { Button } from '../kit/icon-button.tsx';
import { newSessionId } from '../kit/new-session-id.ts';
import { useTexts } from '../texts-provider.tsx';

type SessionDeletionOptions = {
  /** The id of the open session. When it is deleted, a new one is opened. */
  readonly currentId: string;
  /** Opens a session. `isNew` is true for a new one, of which nothing is stored. */
  readonly onOpen: (id: string, isNew: boolean) => void;
  /** Called with the error of an action that failed, and with null when a new action starts. */
  readonly onError: (error: Error | null) => void;
  /** Called when a deletion can no longer be undone. */
  readonly onGone?: (id: string) => void;
};

type SessionDeletion = {
  /** Deletes a session of the nearest store. */
  readonly remove: (session: SessionSummary) => void;
  /** The offer to undo, for 10 seconds; null without one. It takes the focus. */
  readonly toast: ReactNode;
};

const undoMs = 10_000;

type Deleted = {
  readonly id: string;
  readonly title: string;
  readonly wasCurrent: boolean;
  readonly until: number;
};

/** Deletes sessions of a list, and undoes that. The list and the toast are yours to place. */
export function useSessionDeletion(options: SessionDeletionOptions): SessionDeletion {
  const { currentId, onOpen, onError, onGone } = options;
  const deletion = useDeleteSession();
  const { common, hiddenCharacters } = useTexts();
  const [deleted, setDeleted] = useState<Deleted | null>(null);
  const undo = (undone: Deleted): void => {
    setDeleted(null);
    deletion.restore.mutateAsync(undone.id).then(
      () => (undone.wasCurrent ? onOpen(undone.id, false) : undefined),
      (thrown: Error) => {
        setDeleted((now) => now ?? undone);
        onError(thrown);
      },
    );
  };
  const forget = ({ id }: Deleted): void => {
    setDeleted(null);
    onGone?.(id);
  };
  return {
    remove({ id, title }) {
      const wasCurrent = id === currentId;
      const until = Date.now() + undoMs;
      onError(null);
      setDeleted({ id, title: visibleText(title, hiddenCharacters) || common.newSession, wasCurrent, until });
      if (wasCurrent) onOpen(newSessionId(), true);
      deletion.mutateAsync(id).catch((thrown: Error) => {
        setDeleted((now) => (now?.id === id ? null : now));
        onError(thrown);
      });
    },
    toast: deleted && (
      <UndoToast key={deleted.id} {...deleted} onUndo={() => undo(deleted)} onEnd={() => forget(deleted)} />
    ),
  };
}

type UndoToastProps = {
  readonly title: string;
  /** Unix milliseconds. */
  readonly until: number;
  readonly onUndo: () => void;
  /** Called when the time is over or the person dismisses the toast. */
  readonly onEnd: () => void;
};

/**
 * A toast for a deleted session, shown while the deletion can be undone. Its button takes the focus,
 * because the deleted item had it.
 */
function UndoToast({ title, until, onUndo, onEnd }: UndoToastProps): ReactNode {
  const end = useRef(onEnd);
  const texts = useTexts().sessions;
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    const timer = setTimeout(() => end.current(), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until]);
  return (
    <div
      className="vitrine-toast"
      role="status"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onEnd();
      }}
    >
      <span className="vitrine-toast-text">{texts.deleted(title)}</span>
      <Button autoFocus onClick={onUndo}>
        {texts.undo}
      </Button>
    </div>
  );
}
