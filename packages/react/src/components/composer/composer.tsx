'use client';

import { type KeyboardEvent, type ReactNode, useCallback, useRef, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-session.ts';
import { tellSent } from '../kit/sent-channel.ts';
import { useChatStatus } from '../kit/use-chat-status.ts';
import { useKeptFocus } from '../kit/use-kept-focus.ts';
import { AttachButton } from './attach-button.tsx';
import { ChosenFiles } from './chosen-files.tsx';
import { SendButtons } from './send-buttons.tsx';
import { type ChosenFiles as Chosen, useChosenFiles } from './use-chosen-files.ts';
import { useHeightOfText } from './use-height-of-text.ts';
import { Waiting } from './waiting.tsx';

/** What `Composer` takes; nothing is required. */
export type ComposerProps = {
  /** Of the field, e.g. for a link that leads to it. */
  readonly id?: string;
  /** What the field is called. Default: Message. */
  readonly label?: string;
  /** Default: Ask something. */
  readonly placeholder?: string;
  /** Whether files can be attached: chosen, dropped or pasted. Default: true. */
  readonly attachments?: boolean;
};

/**
 * The message box of the nearest session. Enter sends, Shift+Enter begins a line, Escape stops a running answer. What is
 * typed is kept as the session's draft; what is sent while the agent runs waits, and is shown.
 */
export function Composer(props: ComposerProps): ReactNode {
  const { id } = useChatStatus();
  return <Field key={id} {...props} />;
}

function Field({ id, label = 'Message', placeholder, attachments = true }: ComposerProps): ReactNode {
  const chosen = useChosenFiles();
  const form = useRef<HTMLFormElement>(null);
  const { text, setText, send, stop, isSendable, isRunning } = useMessageBox(chosen);
  const field = useHeightOfText(text);
  useKeptFocus(
    form,
    useCallback(() => field.current, [field]),
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    }
    if (event.key === 'Escape' && isRunning) void stop();
  };
  const take = (files: FileList): void => {
    if (attachments) chosen.add(files);
  };
  return (
    <form
      ref={form}
      className="vitrine-composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer.files);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        // The button that was pressed has nothing to do any more.
        field.current?.focus();
        void send();
      }}
    >
      <Waiting />
      {chosen.problem !== null && (
        <p className="vitrine-attachment-problem" role="alert">
          {chosen.problem}
        </p>
      )}
      <ChosenFiles files={chosen.files} onRemove={chosen.remove} />
      <div className="vitrine-composer-row">
        {attachments && <AttachButton onFiles={chosen.add} />}
        <textarea
          id={id}
          ref={field}
          rows={1}
          dir="auto"
          aria-label={label}
          placeholder={placeholder ?? 'Ask something'}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            take(event.clipboardData.files);
          }}
        />
        <SendButtons isRunning={isRunning} isSendable={isSendable} onStop={() => void stop()} />
      </div>
    </form>
  );
}

/** What is typed, and what can be done with it. */
function useMessageBox(chosen: Chosen): {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly send: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly isSendable: boolean;
  readonly isRunning: boolean;
} {
  const session = useAgentSession();
  const { status, draft, setDraft, sendMessage, stop } = useChatStatus();
  // What was typed and not sent is kept with its session, and comes back with it; what is being typed stands above it.
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? draft;
  const setText = (next: string): void => {
    setTyped(next);
    setDraft(next);
  };
  // What is typed and chosen stays: a deleted session may be brought back.
  const isSendable = (text.trim() !== '' || chosen.files.length > 0) && status !== 'deleted';
  const send = async (): Promise<void> => {
    if (!isSendable) return;
    const { files } = chosen;
    setText('');
    chosen.clear();
    tellSent(session);
    const { status: became, error } = await sendMessage({ text: text.trim(), files });
    // What was refused for its files is not lost; what was typed meanwhile stays before it.
    if (became !== 'refused' || files.length === 0) return;
    chosen.giveBack(files, error);
    if (session.store.getState().draft === '') setText(text);
  };
  const isRunning = status === 'submitted' || status === 'streaming';
  return { text, setText, send, stop, isSendable, isRunning };
}
