'use client';

import { type AgentState, type ChatMessage, type ChatPart, Conversation, Message } from '@vitrine/core';
import { type KeyboardEvent, memo, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { useBranches } from '../../hooks/use-branches.ts';
import { useMessage } from '../../hooks/use-message.ts';
import { later } from '../kit/later.tsx';
import { Attachment } from '../kit/attachment.tsx';
import { Button, CopyButton, IconButton } from '../kit/icon-button.tsx';
import { isComposing } from '../kit/keyboard.ts';
import { Refusal, useCommand } from '../kit/use-command.tsx';
import { SafeLink, TextAround, VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { ConversationSettingsContext, SourcesContext, useSources } from './conversation-settings.tsx';
import { Reasoning } from './disclosure.tsx';
import { MessageBoundary } from './message-boundary.tsx';
import { Subagent, ToolCallView } from './tool-call-view.tsx';

const LazyReadAloud = later(() => import('./read-aloud.tsx'), 'ReadAloud');
const LazyFeedback = later(() => import('./feedback.tsx'), 'Feedback');

type MessageViewProps = {
  /** The id of the message. */
  readonly id: string;
  /** True if an answer ends with this message; it then shows the actions on the answer. Default: false. */
  readonly isEnd?: boolean;
  /** True for the last message. Default: false. */
  readonly isLast?: boolean;
  /** True while the message streams. Default: false. */
  readonly isStreaming?: boolean;
};

/**
 * One message of the nearest session; renders again only when the message itself changes. Returns null for
 * messages that are not for people. A message that cannot be rendered is shown as its text.
 */
export const MessageView: (props: MessageViewProps) => ReactNode = memo(function MessageView(
  props: MessageViewProps,
): ReactNode {
  const { id, isEnd = false, isLast = false, isStreaming = false } = props;
  const message = useMessage(id);
  if (message === null || message.role === 'system') return null;
  // A model's message of an intermediate step is a trace too, but is shown with its tool calls.
  if (message.role === 'user' && Message.isTrace(message)) return null;
  const raw = <RawMessage text={Message.text(message)} />;
  return (
    <div data-vitrine-message={id}>
      <MessageBoundary key={message.role === 'user' ? 'user' : id} of={message} fallback={raw}>
        {message.role === 'user' ? (
          <UserMessage message={message} isLast={isLast} />
        ) : (
          <Answer message={message} isStreaming={isStreaming} />
        )}
      </MessageBoundary>
      {isEnd && message.role === 'assistant' && <AnswerActions message={message} />}
    </div>
  );
}) as unknown as (props: MessageViewProps) => ReactNode;

type UserMessageProps = { readonly message: ChatMessage; readonly isLast: boolean };

function UserMessage({ message, isLast }: UserMessageProps): ReactNode {
  const { edit } = useAgentSession();
  const { readOnly } = useContext(ConversationSettingsContext);
  const texts = useTexts().messages;
  const [editedId, setEditedId] = useState<string | null>(null);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);
  const { give, problem } = useCommand(message.id);
  const isEdited = editedId === message.id;
  // The field stays until another version comes in its place: a server may refuse the text.
  if (editedId !== null && !isEdited) setEditedId(null);
  const text = Message.text(message);

  // After sending or cancelling, the focus returns to the edit button.
  useEffect(() => {
    if (wasEdited.current && !isEdited) editButton.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);

  const send = (next: string): void => {
    // Attached files stay attached.
    const files = message.parts.filter((part) => part.type === 'file');
    void give(() => edit(message.id, { text: next, files }));
  };
  if (isEdited)
    return <EditField text={text} problem={problem} onSend={send} onCancel={() => setEditedId(null)} />;
  return (
    <>
      <article className="vitrine-message vitrine-user" aria-label={texts.ofPerson}>
        {text !== '' && (
          <p dir="auto">
            <VisibleText text={text} />
          </p>
        )}
        {message.parts.map((part, index) => part.type === 'file' && <Attachment key={index} file={part} />)}
      </article>
      <div className="vitrine-actions vitrine-of-user">
        {isLast && !readOnly && <OtherAnswers id={message.id} />}
        {!readOnly && (
          <IconButton
            buttonRef={editButton}
            icon="pencil"
            label={texts.edit}
            onClick={() => setEditedId(message.id)}
          />
        )}
        <BranchArrows id={message.id} kind="version" />
      </div>
    </>
  );
}

function OtherAnswers({ id }: { readonly id: string }): ReactNode {
  const { switchBranch } = useAgentSession();
  const { earlierAnswer } = useTexts().messages;
  const last = useBranches(id).answers.at(-1);
  if (last === undefined) return null;
  return (
    <Button className="vitrine-quiet" onClick={() => void switchBranch(last)}>
      {earlierAnswer}
    </Button>
  );
}

type EditFieldProps = {
  readonly text: string;
  /** Why the last one that was sent is refused; null while none is. */
  readonly problem?: string | null;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
};

/** Edits an earlier message. Enter sends, Shift+Enter begins a line, Escape cancels. */
export function EditField({ text: before, problem = null, onSend, onCancel }: EditFieldProps): ReactNode {
  const [text, setText] = useState(before);
  const { common, messages } = useTexts();
  const isSendable = text.trim() !== '' && text !== before;
  const send = (): void => {
    if (isSendable) onSend(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') onCancel();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="vitrine-edit"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label={messages.editField}
        autoFocus
        rows={Math.min(8, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onKeyDown={onKeyDown}
      />
      <Refusal problem={problem} />
      <div className="vitrine-buttons">
        <Button onClick={onCancel}>{common.cancel}</Button>
        <Button type="submit" className="vitrine-primary" disabled={!isSendable}>
          {common.send}
        </Button>
      </div>
    </form>
  );
}

type AnswerProps = { readonly message: ChatMessage; readonly isStreaming?: boolean };

/** An answer of the model, part by part, with a note when it is incomplete. */
export function Answer({ message, isStreaming = false }: AnswerProps): ReactNode {
  const texts = useTexts().messages;
  const { parts } = message;
  const sources = useSources(parts);
  return (
    <article className="vitrine-message vitrine-answer" aria-label={texts.ofModel}>
      <SourcesContext.Provider value={sources}>
        {parts.map((part, index) => (
          <Part key={index} part={part} isLast={index === parts.length - 1} isStreaming={isStreaming} />
        ))}
      </SourcesContext.Provider>
      {message.metadata['incomplete'] === true && (
        <p className="vitrine-note vitrine-end">{texts.incomplete}</p>
      )}
      {message.metadata['truncated'] === true && (
        <p className="vitrine-note vitrine-end">{texts.truncated}</p>
      )}
    </article>
  );
}

type PartProps = { readonly part: ChatPart; readonly isLast: boolean; readonly isStreaming: boolean };

function Part({ part, isLast, isStreaming }: PartProps): ReactNode {
  const { Text, views } = useContext(ConversationSettingsContext);
  const { source } = useTexts().messages;
  const sources = useContext(SourcesContext);
  switch (part.type) {
    case 'text':
      return <Text text={part.text} isStreaming={isLast && isStreaming} />;
    case 'reasoning':
      return <Reasoning text={part.text} isStreaming={isLast} />;
    case 'tool-call':
      return part.childState === null || part.toolName in views ? (
        <ToolCallView call={part} />
      ) : (
        <Subagent call={part}>{(state) => <OfSubagent state={state} />}</Subagent>
      );
    case 'file':
      return <Attachment file={part} />;
    case 'source':
      return (
        part.url && (
          <p className="vitrine-source">
            <span>[{sources.findIndex(({ url }) => url === part.url) + 1}] </span>
            <TextAround text={source}>
              <SafeLink href={part.url}>
                <VisibleText text={part.title ?? part.url} />
              </SafeLink>
            </TextAround>
          </p>
        )
      );
    // The application shows data parts itself.
    case 'data':
      return null;
  }
  return <NewerPart part={part} />;
}

/** The note of a part that a newer version wrote. The compiler refuses a part of this version. */
function NewerPart(_props: { readonly part: never }): ReactNode {
  return <p className="vitrine-note">{useTexts().messages.newerPart}</p>;
}

/** The answers of a subagent so far; its task is shown above them. */
function OfSubagent({ state }: { readonly state: AgentState }): ReactNode {
  return Conversation.messages(state)
    .filter(({ role }) => role === 'assistant')
    .map((message) => <Answer key={message.id} message={message} />);
}

function AnswerActions({ message }: { readonly message: ChatMessage }): ReactNode {
  const { regenerate, fork } = useAgentSession();
  const { onFork, feedback, readOnly, readAloud } = useContext(ConversationSettingsContext);
  const texts = useTexts().messages;
  const { id } = message;
  const { give, problem } = useCommand(id);
  const text = Message.text(message);
  const forkHere = (open: (sessionId: string) => void): void =>
    void give(() => fork({ messageId: id }).then(open));
  return (
    <div className="vitrine-actions">
      <BranchArrows id={id} kind="answer" />
      {text !== '' && <CopyButton text={text} label={texts.copyAnswer} />}
      {text !== '' && readAloud && <LazyReadAloud text={text} {...readAloud} />}
      {!readOnly && <IconButton icon="again" label={texts.answerAgain} onClick={() => void regenerate(id)} />}
      {onFork && <IconButton icon="fork" label={texts.fork} onClick={() => forkHere(onFork)} />}
      <span className="vitrine-outcome" role="status">
        {problem}
      </span>
      {feedback && <LazyFeedback message={message} />}
    </div>
  );
}

const labels = {
  version: { position: 'versionOf', previous: 'previousVersion', next: 'nextVersion' },
  answer: { position: 'answerOf', previous: 'previousAnswer', next: 'nextAnswer' },
} as const;

type BranchArrowsProps = {
  readonly id: string;
  /** `version` for the versions of a message, `answer` for those of an answer. */
  readonly kind: keyof typeof labels;
};

/** Shows `2 / 3` between two arrows when a message was edited or answered again; alone to people who may only read. */
function BranchArrows({ id, kind }: BranchArrowsProps): ReactNode {
  const { index, count, previous, next } = useBranches(id);
  const { readOnly } = useContext(ConversationSettingsContext);
  const texts = useTexts().branches;
  const label = labels[kind];
  if (count < 2) return null;
  const arrow = (to: 'previous' | 'next', go: typeof next): ReactNode =>
    !readOnly && (
      <IconButton icon={to} label={texts[label[to]]} isIdle={go === null} onClick={() => void go?.()} />
    );
  return (
    <span className="vitrine-branches" role="group" aria-label={texts[label.position](index + 1, count)}>
      {arrow('previous', previous)}
      <span aria-live="polite">{texts.position(index + 1, count)}</span>
      {arrow('next', next)}
    </span>
  );
}

/** The plain text of a message that cannot be rendered. */
export function RawMessage({ text }: { readonly text: string }): ReactNode {
  const texts = useTexts().messages;
  return (
    <article className="vitrine-message vitrine-raw" aria-label={texts.notDisplayed}>
      <p className="vitrine-note">{texts.notDisplayedNote}</p>
      <pre dir="auto" tabIndex={0} role="group" aria-label={texts.itsText}>
        <VisibleText text={text} />
      </pre>
      <CopyButton text={text} label={texts.copy} />
    </article>
  );
}
