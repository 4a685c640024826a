import { callSafely } from './listeners.ts';

/** A queue that handles one message at a time, in order, also those posted while one is handled. */
export type Mailbox<Letter> = ReturnType<typeof createMailbox<Letter>>;

/** Creates a closed mailbox. A handler that throws affects no other message. */
export function createMailbox<Letter>(handle: (letter: Letter) => void) {
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
    /** Adds a message. It is handled at once when the mailbox is open and idle, else in its turn. */
    post(letter: Letter): void {
      letters.push(letter);
      work();
    },
    /** Handles the given messages, then the waiting ones, and from now on every new one. */
    open(...first: readonly Letter[]): void {
      letters.unshift(...first);
      isOpen = true;
      work();
    },
    /** Makes messages wait until the mailbox is opened again. */
    close(): void {
      isOpen = false;
    },
    /** The waiting messages, oldest first. */
    waiting: (): readonly Letter[] => letters,
    /** Removes and returns the waiting messages. */
    clear(): readonly Letter[] {
      const taken = letters;
      letters = [];
      return taken;
    },
  };
}
