'use client';

import type { SessionSummary } from '@vitrine/core';
import { useState } from 'react';
import { useDeleteSession } from '../../hooks/stored-mutations.ts';
import { useTexts } from '../texts-provider.tsx';
import { visibleText } from '../kit/hidden-characters.ts';

/** The session that was deleted last, and until when the deletion can be undone. */
export type Deleted = {
  readonly id: string;
  readonly title: string;
  readonly wasCurrent: boolean;
  readonly until: number;
};

export type Deletion = {
  readonly deleted: Deleted | null;
  readonly remove: (session: SessionSummary) => void;
  readonly undo: () => void;
  /** Ends the time to undo. */
  readonly forget: () => void;
};

const undoMs = 10_000;

/** Deletes sessions and undoes that. */
export function useDeletion(options: {
  readonly currentId: string;
  readonly onOpen: (id?: string) => void;
  /** Called with null when a new action starts. */
  readonly onError: (error: Error | null) => void;
}): Deletion {
  const { currentId, onOpen, onError } = options;
  const deletion = useDeleteSession();
  const { common, hiddenCharacters } = useTexts();
  const [deleted, setDeleted] = useState<Deleted | null>(null);
  return {
    deleted,
    remove({ id, title }) {
      const wasCurrent = id === currentId;
      const until = Date.now() + undoMs;
      onError(null);
      setDeleted({ id, title: visibleText(title, hiddenCharacters) || common.newSession, wasCurrent, until });
      if (wasCurrent) onOpen();
      deletion.mutateAsync(id).catch((thrown: Error) => {
        setDeleted((now) => (now?.id === id ? null : now));
        onError(thrown);
      });
    },
    undo() {
      if (deleted === null) return;
      const { id, wasCurrent } = deleted;
      setDeleted(null);
      deletion.restore.mutateAsync(id).then(() => {
        if (wasCurrent) onOpen(id);
      }, onError);
    },
    forget: () => setDeleted(null),
  };
}
