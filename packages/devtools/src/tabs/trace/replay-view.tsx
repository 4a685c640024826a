import { redactText, replay } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import type { ReplayableRun } from './replayable-run.ts';
import { useTexts } from '../../texts.ts';

type Outcome = { readonly isEqual: boolean; readonly text: string };

/** Replays the run and shows the result. */
export function ReplayView({ source, run, journal }: ReplayableRun): ReactNode {
  const [outcome, setOutcome] = useState<Outcome | 'running' | null>(null);
  const texts = useTexts().trace;
  const agent = source.agent?.();
  const start = async (): Promise<void> => {
    if (agent === undefined) return;
    setOutcome('running');
    try {
      const { modelCalls, toolCalls } = await replay(journal, agent);
      setOutcome({ isEqual: true, text: texts.replayed(modelCalls, toolCalls) });
    } catch (thrown) {
      setOutcome({
        isEqual: false,
        text: redactText(thrown instanceof Error ? thrown.message : String(thrown), 'message'),
      });
    }
  };
  return (
    <section aria-label={texts.replay}>
      <h4>{texts.replayRun(run.number)}</h4>
      <p className="facts">{texts.replayNote}</p>
      {agent === undefined ? (
        <p className="facts">{texts.noAgent}</p>
      ) : (
        <button disabled={outcome === 'running'} onClick={() => void start()}>
          {texts.replay}
        </button>
      )}
      <p role="status" className={isFailed(outcome) ? 'error-line' : 'facts'}>
        {outcome === 'running' ? texts.replaying : outcome?.text}
      </p>
    </section>
  );
}

function isFailed(outcome: Outcome | 'running' | null): boolean {
  return outcome !== null && outcome !== 'running' && !outcome.isEqual;
}
