'use client';

import { AgentState, type ChatToolCall, type JsonValue } from '@vitrine/core';
import { type ReactNode, useContext } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { gist } from '../kit/gist.ts';
import { useIsInterrupted } from '../kit/use-chat-status.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { ConversationSettingsContext } from './conversation-settings.tsx';
import { Disclosure, JsonView } from './disclosure.tsx';
import { MessageBoundary } from './message-boundary.tsx';

type ToolCallViewProps = {
  /** The tool part of a message. */
  readonly call: ChatToolCall;
};

/**
 * A tool call. Shows the tool's custom interface (`toolView`) if there is one, otherwise a line that opens
 * to the input and the result.
 */
export function ToolCallView({ call }: ToolCallViewProps): ReactNode {
  const { views, readOnly } = useContext(ConversationSettingsContext);
  const { respond } = useAgentSession();
  const View = views[call.toolName];
  const line = <ToolLine call={call} />;
  if (View === undefined) return line;
  const view = <View {...call} respond={(output) => respond(call.toolCallId, output as JsonValue)} />;
  return (
    <MessageBoundary of={call} fallback={line}>
      <div className="vitrine-tool-view" data-status={call.status} data-vitrine-call={call.toolCallId}>
        {readOnly ? (
          <fieldset disabled={call.status === 'awaiting-output'} style={{ display: 'contents' }}>
            {view}
          </fieldset>
        ) : (
          view
        )}
      </div>
    </MessageBoundary>
  );
}

function ToolLine({ call }: ToolCallViewProps): ReactNode {
  const { status, error, output, progress, toolName } = call;
  const result = error?.message ?? (status === 'completed' ? gist(output) : '');
  const summary = (
    <>
      <code className="vitrine-tool-name">
        <VisibleText text={toolName} />
      </code>
      <span className="vitrine-gist" dir="auto">
        <VisibleText text={gist(call.input)} />
      </span>
      {status === 'running' && progress !== null && <ToolProgress value={progress} name={toolName} />}
      {result !== '' && (
        <span className="vitrine-gist vitrine-outcome-gist" dir="auto">
          <span aria-hidden="true">→ </span>
          <VisibleText text={gist(result)} />
        </span>
      )}
      <ToolStatus call={call} />
    </>
  );
  return (
    <Disclosure className="vitrine-tool-call" summary={summary} status={status} toolCallId={call.toolCallId}>
      {() => (
        <>
          <AnsweredBy call={call} />
          <JsonView name="input" value={call.input} />
          {status === 'completed' && <JsonView name="result" value={output} />}
          {error !== null && <JsonView name="error" value={error.message} />}
        </>
      )}
    </Disclosure>
  );
}

function AnsweredBy({ call: { approval } }: ToolCallViewProps): ReactNode {
  const { answeredBy } = useTexts().approvals;
  if (approval === null || approval.decision === null || approval.by === undefined) return null;
  return (
    <p className="vitrine-hint">
      <VisibleText text={answeredBy(approval.by, approval.decision)} />
    </p>
  );
}

type SubagentProps = {
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
      {progress !== null && <ToolProgress value={progress.value} name={progress.name} />}
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

function progressIn(state: AgentState | null): { readonly name: string; readonly value: JsonValue } | null {
  const step = state === null ? null : AgentState.currentStep(state);
  const running = step?.toolExecutions.findLast((execution) => execution.status === 'running');
  if (running === undefined || running.progress === null) return null;
  return { name: running.toolCall.name, value: running.progress };
}

type Progress = { readonly share: number | null; readonly label: string };

function ToolProgress({ value, name }: { readonly value: JsonValue; readonly name: string }): ReactNode {
  const { share, label } = readProgress(value);
  const { progressOf } = useTexts().tools;
  if (useIsInterrupted()) return null;
  return (
    <span className="vitrine-progress">
      {share !== null && <progress aria-label={progressOf(name)} max={1} value={share} />}
      {label !== '' && <VisibleText text={label} />}
    </span>
  );
}

/**
 * Reads a progress value: a share from 0 to 1, a text, or an object with `value`, `max` (default 1) and a
 * `label` or `message`.
 */
function readProgress(value: JsonValue): Progress {
  if (typeof value === 'number') return { share: shareOf(value, 1), label: '' };
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { share: null, label: gist(value) };
  const { value: done, max, label, message } = value as Readonly<Record<string, JsonValue | undefined>>;
  const text = label ?? message;
  if (typeof done !== 'number') return { share: null, label: gist(text ?? value) };
  return { share: shareOf(done, typeof max === 'number' ? max : 1), label: gist(text ?? '') };
}

function shareOf(done: number, max: number): number | null {
  const share = done / max;
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : null;
}

/** The status of a call in words, and its duration. */
export function ToolStatus({ call }: { readonly call: ChatToolCall }): ReactNode {
  const { status, durationMs } = call;
  const { callStatus, common } = useTexts();
  const { readOnly } = useContext(ConversationSettingsContext);
  // A person who may only follow cannot answer it.
  const shown = readOnly && status.startsWith('awaiting-') ? 'requested' : status;
  // A newer version may have stored a status that this one does not know.
  const words: Readonly<Record<ChatToolCall['status'], string>> = callStatus;
  return (
    <span className="vitrine-tool-end">
      <span className="vitrine-tool-status">
        {status === 'running' ? <Running /> : (words[shown] ?? status)}
      </span>
      {durationMs !== null && <span className="vitrine-tool-duration">{common.duration(durationMs)}</span>}
    </span>
  );
}

/** A component of its own, so that only running calls subscribe to the status of the session. */
function Running(): ReactNode {
  const { interrupted, running } = useTexts().callStatus;
  return useIsInterrupted() ? interrupted : running;
}
