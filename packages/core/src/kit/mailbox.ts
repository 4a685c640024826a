import { callSafely } from './listeners.ts';

/** Takes messages in order, one at a time, also those that handling one brings forth. */
export type Mailbox<Letter> = {
  /** Handled at once when it is open and nothing else is being handled, else in its turn. */
  readonly post: (letter: Letter) => void;
  /** Handles the given letters first, then what has waited, and from now on what comes. */
  readonly open: (...first: readonly Letter[]) => void;
  /** What comes waits until it is opened again. */
  readonly close: () => void;
  /** What waits, oldest first. */
  readonly waiting: () => readonly Letter[];
  /** Takes out what waits. */
  readonly clear: () => readonly Letter[];
};

/** A mailbox that is closed until it is opened. A handler that throws harms no other letter. */
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
