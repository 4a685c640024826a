import { useBranches } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icon.tsx';

type BranchArrowsProps = {
  readonly id: string;
  /** What there are several of: versions of a message, or answers. */
  readonly noun: string;
};

/** `2 / 3` between two arrows, where a message was edited or answered again. */
export function BranchArrows({ id, noun }: BranchArrowsProps): ReactNode {
  const { index, count, previous, next } = useBranches(id);
  if (count < 2) return null;
  // Not `disabled`: the arrow that was pressed keeps the focus when there is nothing behind it.
  return (
    <span className="branch-arrows" role="group" aria-label={`${noun} ${index + 1} of ${count}`}>
      <button
        className="icon-button"
        aria-label={`Previous ${noun}`}
        aria-disabled={previous === null}
        onClick={() => void previous?.()}
      >
        <Icon name="previous" />
      </button>
      <span aria-live="polite">
        {index + 1} / {count}
      </span>
      <button
        className="icon-button"
        aria-label={`Next ${noun}`}
        aria-disabled={next === null}
        onClick={() => void next?.()}
      >
        <Icon name="chevron" />
      </button>
    </span>
  );
}
