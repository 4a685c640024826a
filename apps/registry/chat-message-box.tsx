'use client';

import { useAgent, useAgentSession } from '@vitrine/react';
import { type FormEvent, type ReactNode, useState } from 'react';

/** The message box: Enter sends, Shift+Enter begins a line. Stop ends a running answer. */
export function ChatMessageBox(): ReactNode {
  const { sendMessage, stop, isBusy } = useAgent({ session: useAgentSession() });
  const [text, setText] = useState('');
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    void sendMessage(text.trim());
    setText('');
  };
  return (
    <form onSubmit={send} className="bg-background flex items-end gap-2 rounded-3xl border p-2 pl-4">
      <textarea
        aria-label="Message"
        placeholder="Ask something"
        rows={1}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
        }}
        className="field-sizing-content max-h-52 flex-1 resize-none bg-transparent py-1.5 outline-none"
      />
      {isBusy ? (
        <button type="button" onClick={() => void stop()} className="rounded-full border px-4 py-1.5">
          Stop
        </button>
      ) : (
        <button
          type="submit"
          disabled={text.trim() === ''}
          className="bg-primary text-primary-foreground rounded-full px-4 py-1.5 disabled:opacity-50"
        >
          Send
        </button>
      )}
    </form>
  );
}
