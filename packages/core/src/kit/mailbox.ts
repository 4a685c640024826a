import { callSafely } from './listeners.ts';

/** A queue that handles one message at a time, in order, also those posted while one is handled. */
export type Mailbox<Letter> = {
  /** Adds a message. It is handled at once when the mailbox is open and idle, else in its turn. */
  readonly post: (letter: Letter) => void;
  /** Handles the given messages, then the waiting ones, and from now on every new one. */
  readonly open: (...first: readonly Letter[]) => void;
  /** Makes messages wait until the mailbox is opened again. */
  readonly close: () => void;
  /** The waiting messages, oldest first. */
  readonly waiting: () => readonly Letter[];
  /** Removes and returns the waiting messages. */
  readonly clear: () => readonly Letter[];
};

/** Creates a closed mailbox. A handler that throws affects no other message. */
export function createMailbox<Letter>(handle: (letter: Letter) => void): Mailbox<Letter> {
  let letters: Letter[] = [];
  let isOpen = false;
  let isHandling = false;

  function work(): void {
    if (!isOpen || isHandling) return;
    isHandling = true;
    while (isOpen && letters.length > 0) {
      const letter = letters.shift() as Letter;
      callSafely(() => handle(letter));
    }
    isHandling = false;
  }

  return {
    post(letter) {
      letters.push(letter);
      work();
    },
    open(...first) {
      letters.unshift(...first);
      isOpen = true;
      work();
    },
    close() {
      isOpen = false;
    },
    waiting: () => letters,
    clear() {
      const taken = letters;
      letters = [];
      return taken;
    },
  };
}
