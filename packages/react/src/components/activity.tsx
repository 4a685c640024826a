'use client';

import type { SessionActivity } from '@vitrine/core/types';
import type { ReactNode } from 'react';
import { useActivity } from '../hooks/use-activity.ts';
import { useAgentState } from '../hooks/use-agent-state.ts';
import { useAgentStatus } from '../hooks/use-agent-status.ts';
import { useAgentSession } from '../hooks/use-agent-session.ts';
import { endOfAnswer } from './end-of-answer.ts';
import { gist } from './kit/gist.ts';

/** What `Activity` takes; nothing is required. */
export type ActivityProps = {
  /** Stands where an answer stopped at a limit, e.g. a button that leads to where limits are set. */
  readonly atLimit?: ReactNode;
};

/**
 * What the agent is doing, or how it ended when that was not with a whole answer. Where it stopped at a limit it can be
 * asked to go on, with the whole limit once more.
 */
export function Activity({ atLimit }: ActivityProps): ReactNode {
  const { status } = useAgentStatus();
  const activity = useActivity();
  const end = useAgentState(endOfAnswer);
  const doing = describeActivity(activity);
  const isOver = status === 'ready' && doing === null;
  return (
    <>
      {/* What is going on is seen and not read out: it changes faster than anybody can listen. */}
      {doing !== null && <p className="vitrine-activity vitrine-busy">{doing}</p>}
      {/* Always there: a live region that comes together with its text may be missed. */}
      <p className="vitrine-activity" role="status">
        {isOver ? end.sentence : null}
      </p>
      {isOver && end.isLimit && <AtLimit>{atLimit}</AtLimit>}
    </>
  );
}

function AtLimit({ children }: { readonly children: ReactNode }): ReactNode {
  const { sendMessage } = useAgentSession();
  return (
    <div className="vitrine-buttons">
      <button type="button" className="vitrine-button" onClick={() => void sendMessage('Go on')}>
        Go on
      </button>
      {children}
    </div>
  );
}

/** Null while there is nothing to say: an answer that comes in is seen by itself. */
function describeActivity(activity: SessionActivity): string | null {
  switch (activity.type) {
    case 'thinking':
      return 'Thinking…';
    case 'tool':
      return `Running ${gist(activity.toolName)}${besides(activity.others)}…`;
    case 'subagent':
      return `${gist(activity.name)}${besides(activity.others)}: ${describeActivity(activity.activity) ?? 'Answering…'}`;
    case 'retrying':
      return `The model did not answer. Trying again (${activity.attempt} of ${activity.maxAttempts})…`;
    default:
      return null;
  }
}

function besides(others: number): string {
  return others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`;
}
