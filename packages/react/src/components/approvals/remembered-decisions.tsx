'use client';

import { AgentState } from '@vitrine/core';
import { type ReactNode, useRef } from 'react';
import { useAgentSession } from '../../hooks/use-agent-session.ts';
import { useAgentState } from '../../hooks/use-agent-state.ts';
import { VisibleText } from '../kit/visible-text.tsx';

/**
 * Lists the remembered decisions, each with a button that makes later calls ask again. Renders no list if
 * there are none.
 */
export function RememberedDecisions(): ReactNode {
  const { update } = useAgentSession();
  const decisions = useAgentState(AgentState.rememberedDecisions);
  const place = useRef<HTMLDivElement>(null);
  const askAgain = async (toolName: string): Promise<void> => {
    await update((state) => AgentState.withoutDecisions(state, toolName));
    // The pressed button disappears, so keyboard focus moves to this element.
    place.current?.focus();
  };
  return (
    <div ref={place} tabIndex={-1}>
      {decisions.length > 0 && (
        <ul className="vitrine-decisions" aria-label="Answered without asking">
          {decisions.map(({ toolName, decision, scope }) => (
            <li key={toolName}>
              <span>
                <code>
                  <VisibleText text={toolName} />
                </code>{' '}
                {decision === 'approved' ? 'runs' : 'is rejected'} without asking,{' '}
                {scope === 'session' ? 'in this session' : 'until this answer has ended'}
              </span>
              <button
                type="button"
                className="vitrine-button"
                aria-label={`Ask about ${toolName} again`}
                onClick={() => void askAgain(toolName)}
              >
                Ask again
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
