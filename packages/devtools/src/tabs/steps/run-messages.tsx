import { AgentState } from '@vitrine/core';
import type { ReactNode } from 'react';
import { MessagePages } from './message-pages.tsx';
import { useTexts } from '../../texts.ts';

type RunMessagesProps = { readonly state: AgentState; readonly executionId: string };

/** The messages of a run of which neither events nor steps were kept. */
export function RunMessages({ state, executionId }: RunMessagesProps): ReactNode {
  const texts = useTexts().run;
  const messages = AgentState.messages(state).filter(
    ({ metadata }) => metadata['execution_id'] === executionId,
  );
  return (
    <div className="detail scroll" data-tab="run" tabIndex={0} role="region" aria-label={texts.messages}>
      <p className="facts">{texts.messagesOnly}</p>
      <MessagePages
        messages={messages}
        marksOf={({ metadata }) => (metadata['is_trace'] === true ? [texts.trace] : [])}
      />
    </div>
  );
}
