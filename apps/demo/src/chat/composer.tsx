import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Icon } from '../shell/icon.tsx';
import { AttachButton } from './attach-button.tsx';
import { ChosenFiles } from './chosen-files.tsx';
import { useChatStatus } from './use-chat-status.ts';
import { useChosenFiles } from './use-chosen-files.ts';

/** The message box. Enter sends, Shift+Enter begins a line, Escape stops a running answer. */
export function Composer({ onSend }: { readonly onSend: () => void }): ReactNode {
  const { id } = useChatStatus();
  return <Field key={id} onSend={onSend} />;
}

function Field({ onSend }: { readonly onSend: () => void }): ReactNode {
  const { status, draft, setDraft, sendMessage, stop } = useChatStatus();
  // What was typed and not sent is kept with its session, and comes back with it; what is being typed stands above it.
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? draft;
  const setText = (next: string): void => {
    setTyped(next);
    setDraft(next);
  };
  const chosen = useChosenFiles();
  const field = useFieldAsHighAs(text);
  const isRunning = status === 'submitted' || status === 'streaming';

  // What is typed and chosen stays: a deleted session may be brought back.
  const isSendable = (text.trim() !== '' || chosen.files.length > 0) && status !== 'deleted';
  const send = async (): Promise<void> => {
    if (!isSendable) return;
    const { files } = chosen;
    setText('');
    chosen.clear();
    onSend();
    const { status: became, error } = await sendMessage({ text: text.trim(), files });
    // What was refused for its files is not lost.
    if (became === 'refused' && files.length > 0) {
      chosen.giveBack(files, error);
      if (field.current?.value === '') setText(text);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    }
    if (event.key === 'Escape' && isRunning) void stop();
  };

  return (
    <form
      className="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        chosen.add(event.dataTransfer.files);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Waiting />
      {chosen.problem !== null && (
        <p className="attachment-problem" role="alert">
          {chosen.problem}
        </p>
      )}
      <ChosenFiles files={chosen.files} onRemove={chosen.remove} />
      <div className="composer-row">
        <AttachButton onFiles={chosen.add} />
        <textarea
          id="composer"
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder="Ask something"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            chosen.add(event.clipboardData.files);
          }}
        />
        <SendButtons isRunning={isRunning} isSendable={isSendable} />
      </div>
    </form>
  );
}

/** A field that is as high as its text, up to a limit. */
function useFieldAsHighAs(text: string): RefObject<HTMLTextAreaElement | null> {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, 220)}px`;
  }, [text]);
  return field;
}

/** What was sent and has not begun. */
function Waiting(): ReactNode {
  const { queue, cancelQueued } = useChatStatus();
  return queue.map((message) => (
    <p key={message.id} className="queued">
      Waiting: {message.text}
      <button type="button" className="button quiet" onClick={() => cancelQueued(message.id)}>
        Cancel
      </button>
    </p>
  ));
}

type SendButtonsProps = { readonly isRunning: boolean; readonly isSendable: boolean };

function SendButtons({ isRunning, isSendable }: SendButtonsProps): ReactNode {
  const { stop } = useChatStatus();
  return (
    <>
      {isRunning && (
        <button type="button" className="round-button stop" aria-label="Stop" onClick={() => void stop()}>
          <Icon name="stop" />
        </button>
      )}
      {(!isRunning || isSendable) && (
        <button type="submit" className="round-button" aria-label="Send" disabled={!isSendable}>
          <Icon name="send" />
        </button>
      )}
    </>
  );
}
