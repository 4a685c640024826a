'use client';

import { AgentState, type ChatToolCall, type JsonValue } from '@vitrine/core';
import type { ReactNode } from 'react';
import { gist } from '../kit/gist.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { Disclosure } from './disclosure.tsx';
import { JsonView } from './json-view.tsx';
import { ToolProgress } from './tool-progress.tsx';
import { ToolStatus } from './tool-status.tsx';

/** Props of `Subagent`. */
export type SubagentProps = {
  /** The call that a subagent works on; its `childState` is shown live. */
  readonly call: ChatToolCall;
  /** Renders the messages of the subagent; called only while it is open. */
  readonly children: (state: AgentState) => ReactNode;
};

/** A subagent: its name, task and progress on one line. When open, it shows the task and the messages. */
export function Subagent({ call, children }: SubagentProps): ReactNode {
  const texts = useTexts().tools;
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
      {steps > 0 && <span className="vitrine-steps">{texts.steps(steps)}</span>}
      {progress !== null && <ToolProgress value={progress.value} of={progress.name} />}
      <ToolStatus call={call} />
    </>
  );
  return (
    <Disclosure className="vitrine-subagent" summary={summary} status={status} toolCallId={call.toolCallId}>
      {() => (
        <>
          <JsonView name="task" value={task ?? call.input} />
          {state !== null && (
            <div className="vitrine-subagent-messages" role="group" aria-label={texts.saidBy(name)}>
              {children(state)}
            </div>
          )}
          {error !== null && <JsonView name="error" value={error.message} />}
        </>
      )}
    </Disclosure>
  );
}

/** The last progress value of a running tool, or null. */
function progressIn(state: AgentState | null): { readonly name: string; readonly value: JsonValue } | null {
  const step = state === null ? null : AgentState.currentStep(state);
  const running = step?.toolExecutions.findLast((execution) => execution.status === 'running');
  if (running === undefined || running.progress === null) return null;
  return { name: running.toolCall.name, value: running.progress };
}
