import { useAgentSession, useAgentState, useAgentStatus } from '@vitrine/react';
import { type ReactNode, useEffect } from 'react';
import { changeSettings, useSettings } from '../settings/use-settings.ts';
import { type GuideStep, guideSteps } from './guide-steps.ts';
import { useSeen } from './use-seen.ts';
import '../styles/guide.css';

/** The guide: one line above the message box, until it is finished or dismissed. */
export function Guide(): ReactNode {
  const { guide } = useSettings();
  const step = guide === null ? undefined : guideSteps[guide];
  const isThere = useAgentState((state) => step?.isThere(state) ?? true);
  // A step waits in sessions that lack what it is about.
  if (guide === null || !isThere) return null;
  return (
    <aside className="guide" aria-label="The first minute">
      {step === undefined ? (
        <p role="status">That was the first minute. Try the other agents next.</p>
      ) : (
        <Step key={step.id} step={step} at={guide} />
      )}
      <button
        type="button"
        className="vitrine-button vitrine-quiet"
        onClick={() => changeSettings({ guide: null })}
      >
        {step === undefined ? 'Close' : 'Hide guide'}
      </button>
    </aside>
  );
}

function Step({ step, at }: { readonly step: GuideStep; readonly at: number }): ReactNode {
  const { sendMessage } = useAgentSession();
  const { status } = useAgentStatus();
  const seen = useSeen(at);
  const isDone = useAgentState((state) => step.isDone(state, seen));
  useEffect(() => {
    if (isDone) changeSettings({ guide: at + 1 });
  }, [isDone, at]);
  const { prompt } = step;
  return (
    <>
      <span className="guide-count" aria-hidden="true">
        {at + 1}/{guideSteps.length}
      </span>
      <p role="status">{step.text}</p>
      {prompt !== null && (
        <button
          type="button"
          className="vitrine-button"
          disabled={status !== 'ready'}
          onClick={() => void sendMessage(prompt)}
        >
          Show me
        </button>
      )}
    </>
  );
}
