import { redactText, replay } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import { formatCount } from '../../kit/format.ts';
import type { ReplayableRun } from './replayable-run.ts';

type Outcome = { readonly isEqual: boolean; readonly text: string };

/** Replays the run and shows the result. */
export function ReplayView({ source, run, journal }: ReplayableRun): ReactNode {
  const [outcome, setOutcome] = useState<Outcome | 'running' | null>(null);
  const agent = source.agent?.();
  const start = async (): Promise<void> => {
    if (agent === undefined) return;
    setOutcome('running');
    try {
      const { modelCalls, toolCalls } = await replay(journal, agent);
      const text = `The replay ended in the same state. ${formatCount(modelCalls, 'model call')} and ${formatCount(toolCalls, 'tool call')} were answered from the recording, without network requests.`;
      setOutcome({ isEqual: true, text });
    } catch (thrown) {
      setOutcome({
        isEqual: false,
        text: redactText(thrown instanceof Error ? thrown.message : String(thrown), 'message'),
      });
    }
  };
  return (
    <section aria-label="Replay">
      <h4>Replay run {run.number}</h4>
      <p className="facts">
        Runs the current agent again. Model and tools answer from the recording; hooks, plugins and rules run
        for real.
      </p>
      {agent === undefined ? (
        <p className="facts">The agent is not on this page, so you can only inspect the run.</p>
      ) : (
        <button disabled={outcome === 'running'} onClick={() => void start()}>
          Replay
        </button>
      )}
      <p role="status" className={isFailed(outcome) ? 'error-line' : 'facts'}>
        {outcome === 'running' ? 'Replaying…' : outcome?.text}
      </p>
    </section>
  );
}

function isFailed(outcome: Outcome | 'running' | null): boolean {
  return outcome !== null && outcome !== 'running' && !outcome.isEqual;
}
