'use client';

import type { ReactNode } from 'react';
import { Icon } from '../kit/icon.tsx';
import { useTexts } from '../texts-provider.tsx';

type SendButtonsProps = {
  readonly isRunning: boolean;
  readonly isSendable: boolean;
  readonly onStop: () => void;
};

/** The Send button, and the Stop button while an answer runs. */
export function SendButtons({ isRunning, isSendable, onStop }: SendButtonsProps): ReactNode {
  const texts = useTexts().common;
  return (
    <>
      {isRunning && (
        <button type="button" className="vitrine-round vitrine-stop" aria-label={texts.stop} onClick={onStop}>
          <Icon name="stop" />
        </button>
      )}
      {(!isRunning || isSendable) && (
        <button type="submit" className="vitrine-round" aria-label={texts.send} disabled={!isSendable}>
          <Icon name="send" />
        </button>
      )}
    </>
  );
}
