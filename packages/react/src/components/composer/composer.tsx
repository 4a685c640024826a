'use client';

import { type KeyboardEvent, type ReactNode, useCallback, useRef } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { isComposing } from '../kit/is-composing.ts';
import { sessionKey } from '../kit/session-key.ts';
import { useKeptFocus } from '../kit/use-kept-focus.ts';
import { useTexts } from '../texts-provider.tsx';
import { AttachButton } from './attach-button.tsx';
import { ChosenFiles } from './chosen-files.tsx';
import { hasFiles, pastedFiles } from './files-in.ts';
import { SendButtons } from './send-buttons.tsx';
import { useHeightOfText } from './use-height-of-text.ts';
import { useMessageBox } from './use-message-box.ts';
import { Waiting } from './waiting.tsx';

/** Props of `Composer`; all are optional. */
export type ComposerProps = {
  /** The id of the field, e.g. for a link to it. */
  readonly id?: string;
  /** The accessible name of the field. Default: Message, or `composer.label` of the texts. */
  readonly label?: string;
  /** Default: Ask something, or `composer.placeholder` of the texts. */
  readonly placeholder?: string;
  /** Enables attaching files by choosing, dropping or pasting. Default: true. */
  readonly attachments?: boolean;
};

/**
 * The message box of the nearest session. Enter sends, Shift+Enter begins a line, Escape stops a running
 * answer.
 *
 * The typed text is kept as the session's draft. Messages sent while the agent runs are queued and listed.
 */
export function Composer(props: ComposerProps): ReactNode {
  return <Field key={sessionKey(useAgentSession())} {...props} />;
}

function Field({ id, label, placeholder, attachments = true }: ComposerProps): ReactNode {
  const texts = useTexts().composer;
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
        // Otherwise the browser would leave the page and open the file.
        event.preventDefault();
        if (attachments) box.add(event.dataTransfer.files);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        // The pressed button may disappear, so the field takes the focus.
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
          aria-label={label ?? texts.label}
          placeholder={placeholder ?? texts.placeholder}
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
