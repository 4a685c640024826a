'use client';

import { type AgentState, type ChatMessage, type ChatPart, Conversation } from '@vitrine/core';
import { type ReactNode, useContext } from 'react';
import { Attachment } from '../kit/attachment.tsx';
import { SafeLink } from '../kit/safe-link.tsx';
import { TextAround } from '../kit/text-around.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { ConversationSettingsContext } from './conversation-settings.ts';
import { Reasoning } from './reasoning.tsx';
import { Subagent } from './subagent.tsx';
import { ToolCall } from './tool-call.tsx';

/** An answer of the model, part by part, with a note when it is incomplete. */
export function Answer({ message }: { readonly message: ChatMessage }): ReactNode {
  const texts = useTexts().messages;
  return (
    <article className="vitrine-message vitrine-answer" aria-label={texts.ofModel}>
      {message.parts.map((part, index) => (
        <Part key={index} part={part} isLast={index === message.parts.length - 1} />
      ))}
      {message.metadata['incomplete'] === true && <p className="vitrine-note">{texts.incomplete}</p>}
      {message.metadata['truncated'] === true && <p className="vitrine-note">{texts.truncated}</p>}
    </article>
  );
}

function Part({ part, isLast }: { readonly part: ChatPart; readonly isLast: boolean }): ReactNode {
  const { Text, views } = useContext(ConversationSettingsContext);
  const { source } = useTexts().messages;
  switch (part.type) {
    case 'text':
      return <Text text={part.text} />;
    case 'reasoning':
      return <Reasoning text={part.text} isStreaming={isLast} />;
    case 'tool-call':
      return part.childState === null || part.toolName in views ? (
        <ToolCall call={part} />
      ) : (
        <Subagent call={part}>{(state) => <OfSubagent state={state} />}</Subagent>
      );
    case 'file':
      return <Attachment file={part} />;
    case 'source':
      return (
        part.url && (
          <p className="vitrine-source">
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
