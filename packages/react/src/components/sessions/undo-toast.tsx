'use client';

import { type ReactNode, useEffect, useRef } from 'react';
import { useTexts } from '../texts-provider.tsx';

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
export function UndoToast({ title, until, onUndo, onEnd }: UndoToastProps): ReactNode {
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
      <button type="button" className="vitrine-button" autoFocus onClick={onUndo}>
        {texts.undo}
      </button>
    </div>
  );
}
