'use client';

import { AgentState } from '@vitrine/core';
import { type ReactNode, useRef } from 'react';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';
import { TextAround } from '../kit/text-around.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

/** The sentences for a decision and its scope. */
const sentences = {
  approved: { session: 'runsInSession', execution: 'runsInAnswer' },
  rejected: { session: 'isRejectedInSession', execution: 'isRejectedInAnswer' },
} as const;

/**
 * Lists the remembered decisions, each with a button that makes later calls ask again. Renders no list if
 * there are none.
 */
export function RememberedDecisions(): ReactNode {
  const { update } = useAgentSession();
  const decisions = useAgentState(AgentState.rememberedDecisions);
  const texts = useTexts().decisions;
  const place = useRef<HTMLDivElement>(null);
  const askAgain = async (toolName: string): Promise<void> => {
    await update((state) => AgentState.withoutDecisions(state, toolName));
    // The pressed button disappears, so keyboard focus moves to this element.
    place.current?.focus();
  };
  return (
    <div ref={place} tabIndex={-1}>
      {decisions.length > 0 && (
        <ul className="vitrine-decisions" aria-label={texts.label}>
          {decisions.map(({ toolName, decision, scope }) => (
            <li key={toolName}>
              <span>
                <TextAround text={texts[sentences[decision][scope]]}>
                  <code>
                    <VisibleText text={toolName} />
                  </code>
                </TextAround>
              </span>
              <button
                type="button"
                className="vitrine-button"
                aria-label={texts.askAgainAbout(toolName)}
                onClick={() => void askAgain(toolName)}
              >
                {texts.askAgain}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
