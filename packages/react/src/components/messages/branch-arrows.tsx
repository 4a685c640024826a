'use client';

import type { ReactNode } from 'react';
import { useBranches } from '../../hooks/use-branches.ts';
import { IconButton } from '../kit/icon-button.tsx';

type BranchArrowsProps = {
  readonly id: string;
  /** The noun for the versions: `version` for a message, `answer` for an answer. */
  readonly noun: string;
};

/** Shows `2 / 3` between two arrows when a message was edited or answered again. */
export function BranchArrows({ id, noun }: BranchArrowsProps): ReactNode {
  const { index, count, previous, next } = useBranches(id);
  if (count < 2) return null;
  return (
    <span className="vitrine-branches" role="group" aria-label={`${noun} ${index + 1} of ${count}`}>
      <IconButton
        icon="previous"
        label={`Previous ${noun}`}
        isIdle={previous === null}
        onClick={() => void previous?.()}
      />
      <span aria-live="polite">
        {index + 1} / {count}
      </span>
      <IconButton icon="next" label={`Next ${noun}`} isIdle={next === null} onClick={() => void next?.()} />
    </span>
  );
}
