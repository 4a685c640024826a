import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  BranchPickerPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from '@assistant-ui/react';
import type { AgentSession } from '@vitrine/core';
import { useVitrineRuntime } from '@vitrine/assistant-ui';
import type { ReactNode } from 'react';

/** The thread of assistant-ui's quick start without its styles, over a session. */
export function ThreadPage({ session }: { session: AgentSession }): ReactNode {
  return (
    <AssistantRuntimeProvider runtime={useVitrineRuntime(session)}>
      <h1>Thread</h1>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage, EditComposer }} />
          <ComposerPrimitive.Root>
            <ComposerPrimitive.Input aria-label="Message" />
            <ThreadPrimitive.If running={false}>
              <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
            </ThreadPrimitive.If>
            <ThreadPrimitive.If running>
              <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
            </ThreadPrimitive.If>
          </ComposerPrimitive.Root>
        </ThreadPrimitive.Viewport>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

function UserMessage(): ReactNode {
  return (
    <MessagePrimitive.Root data-testid="user">
      <MessagePrimitive.Parts />
      <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      <Branches />
    </MessagePrimitive.Root>
  );
}

function AssistantMessage(): ReactNode {
  return (
    <MessagePrimitive.Root data-testid="assistant">
      <MessagePrimitive.Parts components={{ tools: { Fallback: Call } }} />
      <ActionBarPrimitive.Reload>Again</ActionBarPrimitive.Reload>
      <Branches />
    </MessagePrimitive.Root>
  );
}

function EditComposer(): ReactNode {
  return (
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Input aria-label="Edited message" />
      <ComposerPrimitive.Send>Save</ComposerPrimitive.Send>
    </ComposerPrimitive.Root>
  );
}

function Branches(): ReactNode {
  return (
    <BranchPickerPrimitive.Root hideWhenSingleBranch>
      <BranchPickerPrimitive.Previous>Previous</BranchPickerPrimitive.Previous>
      <span>
        <BranchPickerPrimitive.Number /> of <BranchPickerPrimitive.Count />
      </span>
      <BranchPickerPrimitive.Next>Next</BranchPickerPrimitive.Next>
    </BranchPickerPrimitive.Root>
  );
}

function Call({ toolName, result, approval, respondToApproval }: ToolCallMessagePartProps): ReactNode {
  return (
    <p>
      {toolName} {result === undefined ? 'open' : String(result)}
      {approval !== undefined && approval.approved === undefined && (
        <>
          {approval.prompt}
          <button onClick={() => void respondToApproval?.({ approved: true })}>Approve</button>
        </>
      )}
    </p>
  );
}
