'use client';

import { type KeyboardEvent, type ReactNode, type RefObject, useCallback, useEffect, useRef } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { Attachment, nameOf } from '../kit/attachment.tsx';
import { FileField } from '../kit/file-field.tsx';
import { gist } from '../kit/gist.ts';
import { visibleText } from '../kit/hidden-characters.ts';
import { Button, Icon, IconButton } from '../kit/icon-button.tsx';
import { isComposing, useKeptFocus } from '../kit/keyboard.ts';
import { later } from '../kit/later.tsx';
import { sessionKey, useChatStatus } from '../kit/use-chat-status.ts';
import { TextAround, VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { useDroppedFiles } from './use-dropped-files.ts';
import type { Menus } from './menus.tsx';
import { useMessageBox } from './use-message-box.ts';

const LazyMenus = later(() => import('./menus.tsx'), 'FieldMenus');
const hasSpeech = 'SpeechRecognition' in globalThis || 'webkitSpeechRecognition' in globalThis;
const LazyDictation = later(
  () => import('./dictation.tsx'),
  'Dictation',
  // As wide as the button that comes, so that the field does not move. A server cannot know whether one comes.
  (content) =>
    content ?? <span className="vitrine-icon-button" hidden={!hasSpeech} suppressHydrationWarning />,
);

type ComposerProps = {
  /** The id of the field, e.g. for a link to it. */
  readonly id?: string;
  /** The accessible name of the field. Default: Message, or `composer.label` of the texts. */
  readonly label?: string;
  /** Default: Ask something, or `composer.placeholder` of the texts. */
  readonly placeholder?: string;
  /**
   * Enables attaching files by choosing, pasting, or dropping them anywhere on the window. Files that the model does not
   * take, as far as its client tells (`accepts`), are refused with a sentence. Default: true.
   */
  readonly attachments?: boolean;
  /** True for a button that writes what a person says, where the browser recognises speech. Default: false. */
  readonly dictation?: boolean;
  /**
   * Menus by the sign that opens them, such as `/` for prompts or `@` for files. A list is filtered by what is typed behind
   * the sign; a function finds entries itself. Create the object outside of components. Default: no menus.
   */
  readonly menus?: Menus | undefined;
  /** Shown in the box, below the text, e.g. `<ModelChoice />`. */
  readonly children?: ReactNode;
};

/**
 * The message box of the nearest session. Enter sends, Shift+Enter begins a line, Escape stops a running answer.
 *
 * The typed text is kept as the session's draft. Messages sent while the agent runs are queued and listed.
 */
export function Composer(props: ComposerProps): ReactNode {
  return <Field key={sessionKey(useAgentSession())} {...props} />;
}

function Field(props: ComposerProps): ReactNode {
  const { id, label, placeholder, attachments = true, dictation, menus, children } = props;
  const texts = useTexts().composer;
  const form = useRef<HTMLFormElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const box = useMessageBox(attachments);
  const { text, setText, send, stop, isSendable, isRunning } = box;
  const isDropTarget = useDroppedFiles(form, attachments ? box.add : null);
  const field = useHeightOfText(text);
  const toField = useCallback(() => field.current, [field]);
  useKeptFocus(form, toField);
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
      onSubmit={(event) => {
        event.preventDefault();
        // The pressed button may disappear, so the field takes the focus.
        field.current?.focus();
        void send();
      }}
    >
      {isDropTarget && <div className="vitrine-drop">{texts.drop}</div>}
      <Waiting />
      {box.problem !== null && (
        <p className="vitrine-attachment-problem" role="alert">
          {box.problem}
        </p>
      )}
      <ChosenFiles files={box.files} onRemove={box.remove} />
      <div className="vitrine-composer-row">
        {attachments && (
          <>
            <FileField field={files} label={texts.filesToAttach} accept={box.accept} onFiles={box.add} />
            <IconButton icon="clip" label={texts.attach} onClick={() => files.current?.click()} />
          </>
        )}
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
            const pasted = attachments ? pastedFiles(event.clipboardData) : [];
            if (pasted.length === 0) return;
            event.preventDefault();
            box.add(pasted);
          }}
        />
        {menus && <LazyMenus menus={menus} field={field} />}
        {dictation && <LazyDictation text={text} onText={setText} />}
        <SendButtons isRunning={isRunning} isSendable={isSendable} onStop={() => void stop()} />
        {children !== undefined && <div className="vitrine-composer-tools">{children}</div>}
      </div>
    </form>
  );
}

function Waiting(): ReactNode {
  const { queue, cancelQueued } = useChatStatus();
  const { common, composer, hiddenCharacters } = useTexts();
  if (queue.length === 0) return null;
  return (
    <ul className="vitrine-queue" aria-label={composer.waitingMessages}>
      {queue.map(({ id, text, files = [], data = {} }) => {
        const beside = [...files.map((file) => nameOf(file, common)), ...Object.keys(data)];
        const said = gist(text.trim() === '' ? beside.join(', ') : text);
        return (
          <li key={id}>
            <span className="vitrine-gist" dir="auto">
              <TextAround text={composer.waiting}>
                <VisibleText text={said} />
              </TextAround>
            </span>
            <Button
              className="vitrine-quiet"
              aria-label={composer.cancelWaiting(visibleText(said, hiddenCharacters))}
              onClick={() => cancelQueued(id)}
            >
              {common.cancel}
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

type ChosenFilesProps = {
  readonly files: readonly File[];
  /** Removes a file by its index, because the same file may be listed twice. */
  readonly onRemove: (place: number) => void;
};

function ChosenFiles({ files, onRemove }: ChosenFilesProps): ReactNode {
  const { common, composer } = useTexts();
  if (files.length === 0) return null;
  return (
    <ul className="vitrine-files" aria-label={composer.attachedFiles}>
      {files.map((file, place) => (
        <li key={place}>
          <Attachment file={file} />
          <IconButton
            icon="close"
            label={composer.removeFile(nameOf(file, common))}
            onClick={() => onRemove(place)}
          />
        </li>
      ))}
    </ul>
  );
}

type SendButtonsProps = {
  readonly isRunning: boolean;
  readonly isSendable: boolean;
  readonly onStop: () => void;
};

function SendButtons({ isRunning, isSendable, onStop }: SendButtonsProps): ReactNode {
  const texts = useTexts().common;
  return (
    <>
      {isRunning && (
        <button type="button" className="vitrine-round vitrine-stop" aria-label={texts.stop} onClick={onStop}>
          <Icon name="stop" />
        </button>
      )}
      {(!isRunning || isSendable) && (
        <button type="submit" className="vitrine-round" aria-label={texts.send} disabled={!isSendable}>
          <Icon name="send" />
        </button>
      )}
    </>
  );
}

/**
 * The files that a paste should attach. None when a program added a picture of the pasted text, as
 * spreadsheets and word processors do.
 */
function pastedFiles({ types, files }: DataTransfer): readonly File[] {
  // A picture copied from a web page comes with HTML only, and a file from a folder with its name only.
  return types.includes('text/plain') && types.includes('text/html') ? [] : [...files];
}

/** Maximum height of the field in pixels. */
const highest = 220;

function useHeightOfText(text: string): RefObject<HTMLTextAreaElement | null> {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, highest)}px`;
  }, [text]);
  return field;
}
