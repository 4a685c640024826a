import { errorInfo } from '../graph/error-info.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import { newTurn } from './machine/new-turn.ts';
import type { Replies } from './replies.ts';
import { isCommand, type SessionInput } from './machine/session-input.ts';
import { keepAttachment } from './stores/attachments.ts';
import type { OutgoingMessage } from './stores/queued-message.ts';
import type { SessionStore } from './stores/session-store.ts';

type Place = {
  readonly sessions: SessionStore | undefined;
  readonly id: string;
  readonly replies: Replies;
  readonly isRunning: boolean;
};

/**
 * Handles what is sent once its files are kept; what is asked meanwhile waits, so that nothing overtakes it. What goes on
 * does not wait for that: a store may take minutes for a file.
 */
export function attachingHandler(
  handle: (input: SessionInput) => void,
  mailbox: Mailbox<SessionInput>,
  place: () => Place,
): (input: SessionInput) => void {
  const attached = new WeakSet<SessionInput>();
  let waiting: readonly SessionInput[] | null = null;
  return (input) => {
    if (waiting !== null && isBehind(input, place())) return void (waiting = [...waiting, input]);
    const keeping = attached.has(input) ? null : attachedInput(input, place());
    if (keeping === null) return handle(input);
    waiting = [];
    void keeping.then((kept) => {
      const behind = waiting ?? [];
      waiting = null;
      if (kept !== null) attached.add(kept);
      // By the mailbox, which may be closed: what is stored may just be read again.
      for (const letter of kept === null ? behind : [kept, ...behind]) mailbox.post(letter);
    });
  };
}

/** True for what counts from what was sent before it; false for what has come of a run, and for what ends or answers it. */
function isBehind(input: SessionInput, { isRunning }: Place): boolean {
  // A tab that is gone has asked for it: it may be what waits.
  if (!isCommand(input)) return input.type === 'attach';
  if (input.type === 'stop') return !isRunning;
  return input.type !== 'answer' && input.type !== 'set-draft';
}

/**
 * What is sent, with its files where they are kept: before there is a message that speaks of them. Null when there is
 * nothing to wait for; the promise gives null when a file could not be kept, and who sent it was told.
 */
function attachedInput(input: SessionInput, place: Place): Promise<SessionInput | null> | null {
  if ((input.type !== 'send' && input.type !== 'move') || input.message === null) return null;
  const { message } = input;
  const { files = [] } = message;
  if (!files.some((file) => needsPlace(file, place.sessions))) return null;
  return keptFiles(files, place).then(
    (kept) => ({ ...input, message: { ...message, files: kept } }),
    (thrown: unknown) => {
      const kind = input.type === 'send' ? 'send' : input.kind;
      place.replies.resolve(input.id, { ...newTurn(input.id, kind, 'refused'), error: errorInfo(thrown) });
      return null;
    },
  );
}

type Files = NonNullable<OutgoingMessage['files']>;

function keptFiles(files: Files, { sessions, id }: Place): Promise<Files> {
  return Promise.all(files.map((file) => keepAttachment(file, sessions, id)));
}

/** Base64 that the application has made itself stands in the message, unless the store has a better place or a limit. */
function needsPlace(file: Files[number], sessions: SessionStore | undefined): boolean {
  if (file instanceof Blob) return true;
  return file.data !== undefined && (sessions?.blobs ?? sessions?.inlineBytes) !== undefined;
}
