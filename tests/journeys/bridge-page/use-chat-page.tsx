import { useChat } from '@ai-sdk/react';
import type { AgentSession } from '@vitrine/core';
import { toUiMessages, vitrineTransport } from '@vitrine/ai-sdk';
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { type ReactNode, useState } from 'react';

/** A chat as the quick start of the AI SDK writes it, over a session. */
export function UseChatPage({ session }: { session: AgentSession }): ReactNode {
  const [start] = useState(() => ({
    transport: vitrineTransport(session),
    messages: toUiMessages(session.store.getState().state) as UIMessage[],
  }));
  const [text, setText] = useState('');
  const chat = useChat({
    id: 'main',
    ...start,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <>
      <h1>Chat</h1>
      <ol>
        {chat.messages.map((message) => (
          <li key={message.id}>
            {message.role}: {message.parts.map((part, at) => partOf(part, at, chat.addToolApprovalResponse))}
          </li>
        ))}
      </ol>
      <p role="status">{chat.status}</p>
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void chat.sendMessage({ text });
          setText('');
        }}
      >
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button>Send</button>
      </form>
      <button onClick={() => void chat.stop()}>Stop</button>
      <button onClick={() => void chat.regenerate()}>Again</button>
    </>
  );
}

type Answer = (answer: { id: string; approved: boolean }) => unknown;

function partOf(part: UIMessage['parts'][number], at: number, answer: Answer): ReactNode {
  if (part.type === 'text') return <span key={at}>{part.text}</span>;
  if (!isToolUIPart(part)) return null;
  return (
    <span key={at}>
      {part.type} {part.state} {String(part.output ?? '')}
      {part.state === 'approval-requested' && (
        <>
          {part.approval.requestReason}
          <button onClick={() => answer({ id: part.approval.id, approved: true })}>Approve</button>
        </>
      )}
    </span>
  );
}
