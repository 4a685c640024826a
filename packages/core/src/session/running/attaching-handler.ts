import { isCommand, type SessionInput } from '../machine/session-input.ts';
import { keepAttachment } from '../store/attachments.ts';
import type { OutgoingMessage } from '../store/queued-message.ts';
import type { SessionStore } from '../store/session-store.ts';
import { refuseMessage } from './user-message.ts';
import type { AttachedSession, Persistence } from '../persistence.ts';

type Place = Pick<AttachedSession, 'id' | 'mailbox' | 'model' | 'replies' | 'sessions'> & {
  readonly persistence: Pick<Persistence, 'send'>;
};

export type AttachingHandler = ReturnType<typeof createAttachingHandler>;

/**
 * Creates a handler that passes a message on once its files are stored. Later commands wait, so that the order stays.
 * An active run does not wait, because a store may take minutes for a file.
 */
export function createAttachingHandler(session: Place) {
  const attached = new WeakSet<SessionInput>();
  let waiting: readonly SessionInput[] | null = null;
  return {
    /** True while files are being stored. */
    isKeeping: (): boolean => waiting !== null,
    handle(input: SessionInput): void {
      if (waiting !== null && isBehind(input, session)) return void (waiting = [...waiting, input]);
      const keeping = attached.has(input) ? null : attachedInput(input, session);
      if (keeping === null) return session.persistence.send(input);
      waiting = [];
      void keeping.then((kept) => {
        const behind = waiting ?? [];
        waiting = null;
        if (kept !== null) attached.add(kept);
        // The mailbox may be closed because the stored session is being read again.
        for (const letter of kept === null ? behind : [kept, ...behind]) session.mailbox.post(letter);
      });
    },
  };
}

/** True for commands that depend on the order of messages; those that end or answer a run do not. */
function isBehind(input: SessionInput, { model }: Place): boolean {
  // An `attach` may refer to the waiting message.
  if (!isCommand(input)) return input.type === 'attach';
  if (input.type === 'stop') return model.run === null;
  return input.type !== 'answer' && input.type !== 'set-draft';
}

/** Stores the files of a message. Null when there are none; resolves with null when the turn was refused. */
function attachedInput(input: SessionInput, place: Place): Promise<SessionInput | null> | null {
  if ((input.type !== 'send' && input.type !== 'move') || input.message === null) return null;
  const { message } = input;
  const { files = [] } = message;
  if (!files.some((file) => needsPlace(file, place.sessions))) return null;
  const { sessions, id } = place;
  return Promise.all(files.map((file) => keepAttachment(file, sessions, id() ?? ''))).then(
    (kept) => ({ ...input, message: { ...message, files: kept } }),
    (thrown: unknown) => {
      refuseMessage(place.replies, input, thrown);
      return null;
    },
  );
}

type Files = NonNullable<OutgoingMessage['files']>;

/** True for a file to store. Base64 from the application stays inline unless the store keeps files or has a limit. */
function needsPlace(file: Files[number], sessions: SessionStore | undefined): boolean {
  if (file instanceof Blob) return true;
  return file.data !== undefined && (sessions?.blobs ?? sessions?.inlineBytes) !== undefined;
}
