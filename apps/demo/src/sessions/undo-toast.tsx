import { type ReactNode, useEffect, useRef } from 'react';

type UndoToastProps = {
  readonly title: string;
  readonly onUndo: () => void;
  /** The time is over. */
  readonly onEnd: () => void;
};

const shownMs = 10_000;

/** Says that something was deleted, for as long as it can be taken back. The button has the focus: its item is gone. */
export function UndoToast({ title, onUndo, onEnd }: UndoToastProps): ReactNode {
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    const timer = setTimeout(() => end.current(), shownMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="toast" role="status">
      <span className="toast-text">Deleted “{title}”</span>
      <button className="button" autoFocus onClick={onUndo}>
        Undo
      </button>
    </div>
  );
}
