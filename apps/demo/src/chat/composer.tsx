import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../shell/icon.tsx';
import { useChatStatus } from './use-chat-status.ts';

/** The message box. Enter sends, Shift+Enter begins a line, Escape stops a running answer. */
export function Composer({ onSend }: { readonly onSend: () => void }): ReactNode {
  const { id } = useChatStatus();
  return <Field key={id} onSend={onSend} />;
}

function Field({ onSend }: { readonly onSend: () => void }): ReactNode {
  const { status, draft, queue, setDraft, sendMessage, stop, cancelQueued } = useChatStatus();
  // What was typed and not sent is kept with its session, and comes back with it; what is being typed stands above it.
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? draft;
  const setText = (next: string): void => {
    setTyped(next);
    setDraft(next);
  };
  const field = useRef<HTMLTextAreaElement>(null);
  // What is typed stays: the session may be brought back.
  const canSend = text.trim() !== '' && status !== 'deleted';
  const isRunning = status === 'submitted' || status === 'streaming';

  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, 220)}px`;
  }, [text]);

  const send = (): void => {
    if (!canSend) return;
    setText('');
    void sendMessage(text.trim());
    onSend();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
    if (event.key === 'Escape' && isRunning) void stop();
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {queue.map((message) => (
        <p key={message.id} className="queued">
          Waiting: {message.text}
          <button type="button" className="button quiet" onClick={() => cancelQueued(message.id)}>
            Cancel
          </button>
        </p>
      ))}
      <div className="composer-row">
        <textarea
          id="composer"
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder="Ask something"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isRunning && (
          <button type="button" className="round-button stop" aria-label="Stop" onClick={() => void stop()}>
            <Icon name="stop" />
          </button>
        )}
        {(!isRunning || text.trim() !== '') && (
          <button type="submit" className="round-button" aria-label="Send" disabled={!canSend}>
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
