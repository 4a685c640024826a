'use client';

import { type ReactNode, useEffect, useRef } from 'react';

type UndoToastProps = {
  readonly title: string;
  /** Unix milliseconds. */
  readonly until: number;
  readonly onUndo: () => void;
  /** The time is over, or who saw it wants it away. */
  readonly onEnd: () => void;
};

/** Says that something was deleted, for as long as it can be taken back. The button has the focus: its item is gone. */
export function UndoToast({ title, until, onUndo, onEnd }: UndoToastProps): ReactNode {
  const end = useRef(onEnd);
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
      <span className="vitrine-toast-text">Deleted “{title}”</span>
      <button type="button" className="vitrine-button" autoFocus onClick={onUndo}>
        Undo
      </button>
    </div>
  );
}
