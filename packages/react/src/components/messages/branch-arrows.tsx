'use client';

import type { ReactNode } from 'react';
import { useBranches } from '../../hooks/use-branches.ts';
import { IconButton } from '../kit/icon-button.tsx';
import { useTexts } from '../texts-provider.tsx';

/** The texts for the versions of a message and of an answer. */
const labels = {
  version: { position: 'versionOf', previous: 'previousVersion', next: 'nextVersion' },
  answer: { position: 'answerOf', previous: 'previousAnswer', next: 'nextAnswer' },
} as const;

type BranchArrowsProps = {
  readonly id: string;
  /** `version` for the versions of a message, `answer` for those of an answer. */
  readonly kind: keyof typeof labels;
};

/** Shows `2 / 3` between two arrows when a message was edited or answered again. */
export function BranchArrows({ id, kind }: BranchArrowsProps): ReactNode {
  const { index, count, previous, next } = useBranches(id);
  const texts = useTexts().branches;
  const label = labels[kind];
  if (count < 2) return null;
  return (
    <span className="vitrine-branches" role="group" aria-label={texts[label.position](index + 1, count)}>
      <IconButton
        icon="previous"
        label={texts[label.previous]}
        isIdle={previous === null}
        onClick={() => void previous?.()}
      />
      <span aria-live="polite">{texts.position(index + 1, count)}</span>
      <IconButton
        icon="next"
        label={texts[label.next]}
        isIdle={next === null}
        onClick={() => void next?.()}
      />
    </span>
  );
}
