import { AgentState, type Message } from '@vitrine/core';
import type { ReactNode } from 'react';
import { MessagePages } from './message-pages.tsx';

type RunMessagesProps = { readonly state: AgentState; readonly executionId: string };

/** The messages of a run of which neither events nor steps were kept. */
export function RunMessages({ state, executionId }: RunMessagesProps): ReactNode {
  const messages = AgentState.messages(state).filter(
    ({ metadata }) => metadata['execution_id'] === executionId,
  );
  return (
    <div className="detail scroll" data-tab="run" tabIndex={0} role="region" aria-label="Messages of the run">
      <p className="facts">
        The store keeps a session as a snapshot, so only the messages of this run are left. Its steps,
        requests and events were not stored.
      </p>
      <MessagePages messages={messages} marksOf={marksOf} />
    </div>
  );
}

function marksOf({ metadata }: Message): readonly string[] {
  return metadata['is_trace'] === true ? ['trace'] : [];
}
