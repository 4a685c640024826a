'use client';

import type { ReactNode } from 'react';
import { Icon } from '../kit/icon.tsx';

type SendButtonsProps = {
  readonly isRunning: boolean;
  readonly isSendable: boolean;
  readonly onStop: () => void;
};

/** The Send button, and the Stop button while an answer runs. */
export function SendButtons({ isRunning, isSendable, onStop }: SendButtonsProps): ReactNode {
  return (
    <>
      {isRunning && (
        <button type="button" className="vitrine-round vitrine-stop" aria-label="Stop" onClick={onStop}>
          <Icon name="stop" />
        </button>
      )}
      {(!isRunning || isSendable) && (
        <button type="submit" className="vitrine-round" aria-label="Send" disabled={!isSendable}>
          <Icon name="send" />
        </button>
      )}
    </>
  );
}
