'use client';

import { type KeyboardEvent, type ReactNode, useCallback, useRef } from 'react';
import { useAgentSession } from '../../hooks/use-agent-session.ts';
import { isComposing } from '../kit/is-composing.ts';
import { sessionKey } from '../kit/session-key.ts';
import { useKeptFocus } from '../kit/use-kept-focus.ts';
import { AttachButton } from './attach-button.tsx';
import { ChosenFiles } from './chosen-files.tsx';
import { hasFiles, pastedFiles } from './files-in.ts';
import { SendButtons } from './send-buttons.tsx';
import { useHeightOfText } from './use-height-of-text.ts';
import { useMessageBox } from './use-message-box.ts';
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
  return <Field key={sessionKey(useAgentSession())} {...props} />;
}

function Field({ id, label = 'Message', placeholder, attachments = true }: ComposerProps): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const box = useMessageBox();
  const { text, setText, send, stop, isSendable, isRunning } = box;
  const field = useHeightOfText(text);
  useKeptFocus(
    form,
    useCallback(() => field.current, [field]),
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void send();
    }
    if (event.key === 'Escape' && isRunning) void stop();
  };
  return (
    <form
      ref={form}
      className="vitrine-composer"
      onDragOver={(event) => {
        if (hasFiles(event.dataTransfer)) event.preventDefault();
      }}
      onDrop={(event) => {
        if (!hasFiles(event.dataTransfer)) return;
        // Else the page would be left for the file.
        event.preventDefault();
        if (attachments) box.add(event.dataTransfer.files);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        // The button that was pressed has nothing to do any more.
        field.current?.focus();
        void send();
      }}
    >
      <Waiting />
      {box.problem !== null && (
        <p className="vitrine-attachment-problem" role="alert">
          {box.problem}
        </p>
      )}
      <ChosenFiles files={box.files} onRemove={box.remove} />
      <div className="vitrine-composer-row">
        {attachments && <AttachButton onFiles={box.add} />}
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
            const files = attachments ? pastedFiles(event.clipboardData) : [];
            if (files.length === 0) return;
            event.preventDefault();
            box.add(files);
          }}
        />
        <SendButtons isRunning={isRunning} isSendable={isSendable} onStop={() => void stop()} />
      </div>
    </form>
  );
}
