'use client';

import { type AgentEvent, AgentState } from '@vitrine/core';
import { useEffect, useRef, useState } from 'react';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';
import { takeUnlessLeft } from './take-unless-left.ts';
import { useTexts } from '../texts-provider.tsx';

/** Finish reasons of a whole answer, for which no detector has to be loaded. */
const whole: ReadonlySet<string> = new Set(['stop', 'tool-calls']);

/**
 * Returns a sentence about what is missing in the last answer, or null. The detectors load when a run has ended that
 * they may say something about.
 * @param isOver True when no answer runs.
 */
export function useFoundSentence(isOver: boolean): string | null {
  const session = useAgentSession();
  const words = useTexts().findings;
  const finishReason = useAgentState(finishReasonOf);
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
    return takeUnlessLeft(import('./found-sentence.ts'), ({ foundSentence }) => {
      const { state } = session.store.getState();
      setFound({ of: executionId, sentence: foundSentence(state, missing.current, words) });
    });
  }, [session, isOver, finishReason, executionId, words]);
  return isOver && found.of === executionId ? found.sentence : null;
}

const none = { of: null, sentence: null };

function finishReasonOf(state: AgentState): string | null {
  return AgentState.lastStep(state)?.inferenceResponse?.finishReason ?? null;
}
