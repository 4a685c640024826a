import { StopReason, type StopSignal } from '@vitrine/core';
import { redactText } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { Json } from '../../kit/json.tsx';
import { useTimeText } from '../../kit/times.ts';
import { useTexts } from '../../texts.ts';

type SignalViewProps = {
  readonly signal: StopSignal;
  /** The outcome of the signal; null when it has none. */
  readonly mark: string | null;
  /** True for the signal that decided. */
  readonly isWinner: boolean;
};

/** One signal with its priority among the stop reasons. */
export function SignalView({ signal, mark, isWinner }: SignalViewProps): ReactNode {
  const { stop } = useTexts();
  const timeText = useTimeText();
  const rank = StopReason.priority(signal.reason);
  return (
    <div className="signal" data-won={isWinner}>
      <p>
        <span className="rank">{rank < 0 ? '?' : rank + 1}</span>
        <strong>{signal.reason}</strong>
        {mark && <span className="chip">{mark}</span>}
        <span className="figure">{timeText(signal.at)}</span>
      </p>
      {signal.message !== '' && <p>{redactText(signal.message, 'message')}</p>}
      {signal.source && <p className="facts">{stop.source(signal.source)}</p>}
      {Object.keys(signal.context).length > 0 && <Json value={signal.context} path={['context']} />}
    </div>
  );
}
