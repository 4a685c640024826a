'use client';

import { AgentState, type ChatToolCall, type JsonValue } from '@vitrine/core';
import type { ReactNode } from 'react';
import { gist } from '../kit/gist.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { Disclosure } from './disclosure.tsx';
import { JsonView } from './json-view.tsx';
import { ToolProgress } from './tool-progress.tsx';
import { ToolStatus } from './tool-status.tsx';

/** What `Subagent` takes. */
export type SubagentProps = {
  /** The call that another agent works on; its `childState` is what is shown, live. */
  readonly call: ChatToolCall;
  /** Draws what was said in it; called while it is open. */
  readonly children: (state: AgentState) => ReactNode;
};

/** Another agent at work: who, on what, how far; opened, its task and its own conversation. */
export function Subagent({ call, children }: SubagentProps): ReactNode {
  const { childState: state, status, error } = call;
  const { agent, task } = (call.input ?? {}) as { readonly agent?: unknown; readonly task?: unknown };
  const name = typeof agent === 'string' ? agent : call.toolName;
  const steps = state === null ? 0 : AgentState.stepCount(state);
  const progress = status === 'running' ? progressIn(state) : null;
  const summary = (
    <>
      <span className="vitrine-tool-name">
        <VisibleText text={name} />
      </span>
      <span className="vitrine-gist" dir="auto">
        <VisibleText text={gist(task ?? call.input)} />
      </span>
      {steps > 0 && (
        <span className="vitrine-steps">
          {steps} {steps === 1 ? 'step' : 'steps'}
        </span>
      )}
      {progress !== null && <ToolProgress value={progress.value} of={progress.name} />}
      <ToolStatus call={call} />
    </>
  );
  return (
    <Disclosure className="vitrine-subagent" summary={summary} status={status} toolCallId={call.toolCallId}>
      {() => (
        <>
          <JsonView name="Task" value={task ?? call.input} />
          {state !== null && (
            <div className="vitrine-subagent-messages" role="group" aria-label={`What ${name} said`}>
              {children(state)}
            </div>
          )}
          {error !== null && <JsonView name="Error" value={error.message} />}
        </>
      )}
    </Disclosure>
  );
}

/** What a tool that runs in it has reported last; null where none has. */
function progressIn(state: AgentState | null): { readonly name: string; readonly value: JsonValue } | null {
  const step = state === null ? null : AgentState.currentStep(state);
  const running = step?.toolExecutions.findLast((execution) => execution.status === 'running');
  if (running === undefined || running.progress === null) return null;
  return { name: running.toolCall.name, value: running.progress };
}
