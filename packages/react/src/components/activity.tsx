'use client';

import { type AgentEvent, AgentState } from '@vitrine/core';
import type { SessionActivity } from '@vitrine/core/types';
import { type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { useActivity, useAgentStatus } from '../field-hooks.ts';
import { useAgentSession, useAgentState } from '../hooks/use-agent-state.ts';
import { endOfAnswer } from './end-of-answer.ts';
import { gist } from './kit/gist.ts';
import { Button } from './kit/icon-button.tsx';
import { takeUnlessLeft } from './kit/take-unless-left.ts';
import { ConversationSettingsContext } from './messages/conversation-settings.tsx';
import { useTexts } from './texts-provider.tsx';
import type { UsedTexts } from './texts.ts';

type ActivityProps = {
  /** Shown when an answer stopped at a limit, e.g. a button that opens the settings of the limits. */
  readonly atLimit?: ReactNode;
};

/**
 * Shows the agent's activity, or how an incomplete answer ended.
 *
 * When the answer stopped at a limit, a button lets the same run go on with the full limit once more. When it was cut at
 * the output limit of the model, a button asks for the rest.
 */
export function Activity({ atLimit }: ActivityProps): ReactNode {
  const { status } = useAgentStatus();
  const activity = useActivity();
  const texts = useTexts();
  const { continueRun, sendMessage } = useAgentSession();
  const { readOnly } = useContext(ConversationSettingsContext);
  const { continueAnswer } = texts.activity;
  const end = useAgentState(
    useCallback((state: AgentState) => endOfAnswer(state, texts.endOfAnswer), [texts.endOfAnswer]),
  );
  const doing = describeActivity(activity, texts.activity);
  const isOver = status === 'ready' && doing === null;
  const found = useFoundSentence(isOver);
  return (
    <>
      {/* Not a live region: the activity changes faster than anybody can listen. */}
      {doing !== null && (
        <p className={lasting.has(activity.type) ? 'vitrine-activity' : 'vitrine-activity vitrine-busy'}>
          {doing}
        </p>
      )}
      {/* Always rendered, because screen readers may miss a live region that appears together with its
         text. */}
      <p className="vitrine-activity" role="status">
        {isOver ? (end.sentence ?? found) : null}
      </p>
      {isOver && !readOnly && (end.isLimit || end.isCut) && (
        <div className="vitrine-buttons">
          {end.isLimit && <Button onClick={() => void continueRun()}>{texts.activity.goOn}</Button>}
          {end.isLimit && atLimit}
          {/* The run has ended, so the rest is another answer. */}
          {end.isCut && <Button onClick={() => void sendMessage(continueAnswer)}>{continueAnswer}</Button>}
        </div>
      )}
    </>
  );
}

/** Activities that may last for minutes, so that their sentence does not pulse. */
const lasting: ReadonlySet<SessionActivity['type']> = new Set(['elsewhere', 'reconnecting', 'offline']);

/** Describes the activity; null when there is nothing to say, because a streaming answer is visible itself. */
function describeActivity(activity: SessionActivity, texts: UsedTexts['activity']): string | null {
  switch (activity.type) {
    case 'thinking':
      return texts.thinking;
    case 'tool':
      return texts.tool(gist(activity.toolName), activity.others);
    case 'subagent': {
      const own = describeActivity(activity.activity, texts) ?? texts.answering;
      return texts.subagent(gist(activity.name), activity.others, own);
    }
    case 'elsewhere':
    case 'reconnecting':
    case 'offline':
      return texts[activity.type];
    case 'retrying':
      return texts.retrying(activity.attempt, activity.maxAttempts);
    case 'paused':
      return texts.paused;
    case 'idle':
    case 'answering':
    // The questions themselves are shown.
    case 'waiting':
      return null;
  }
  return ofNewer(activity, texts);
}

/** The words for an activity of a newer version in another tab. The compiler refuses one of this version. */
function ofNewer(_activity: never, { working }: UsedTexts['activity']): string {
  return working;
}

/** Finish reasons of a whole answer, for which no detector has to be loaded. */
const whole: ReadonlySet<string> = new Set(['stop', 'tool-calls']);

/**
 * Returns a sentence about what is missing in the last answer, or null. The detectors load when a run has ended that
 * they may say something about.
 * @param isOver True when no answer runs.
 */
function useFoundSentence(isOver: boolean): string | null {
  const session = useAgentSession();
  const words = useTexts().findings;
  const finishReason = useAgentState(
    (state) => AgentState.lastStep(state)?.inferenceResponse?.finishReason ?? null,
  );
  const executionId = useAgentState(({ execution }) => execution?.executionId ?? null);
  const missing = useRef<readonly AgentEvent[]>([]);
  const [found, setFound] = useState<{ readonly of: string | null; readonly sentence: string | null }>(none);
  useEffect(
    () =>
      session.onEvent((event) => {
        if (event.type === 'execution-start' && event.path.length === 0) missing.current = [];
        if (event.type === 'attachment-missing') missing.current = [...missing.current, event];
      }),
    [session],
  );
  useEffect(() => {
    const isWhole = finishReason === null || whole.has(finishReason);
    if (!isOver || (isWhole && missing.current.length === 0)) return undefined;
    // A page that is offline shows the answer without the sentence.
    return takeUnlessLeft(import('./kit/found-sentence.ts'), ({ foundSentence }) => {
      const { state } = session.store.getState();
      setFound({ of: executionId, sentence: foundSentence(state, missing.current, words) });
    });
  }, [session, isOver, finishReason, executionId, words]);
  return isOver && found.of === executionId ? found.sentence : null;
}

const none = { of: null, sentence: null };
