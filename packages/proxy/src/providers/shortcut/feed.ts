import { bodyOf, createHandover } from '../../kit/direct-body.ts';

/** The body that a provider package reads. */
export type Feed = {
  readonly body: ReadableStream<Uint8Array>;
  /** True while the package waits for more. */
  readonly isWanted: () => boolean;
  readonly add: (texts: readonly string[]) => void;
  /** Ends the body, with an error if one is given. */
  readonly end: (failure: { readonly error: unknown } | null) => void;
};

/** @param onWanted Called when the package waits for more. @param onCancel Called when it reads no more. */
export function createFeed(onWanted: () => void, onCancel: (reason: unknown) => void): Feed {
  const handover = createHandover<string | null>();
  let waiting: string[] = [];
  let end: { readonly failure: { readonly error: unknown } | null } | null = null;

  function handOver(): void {
    const text = waiting.join('');
    if (!handover.isWaiting() || (text === '' && end === null)) return;
    waiting = [];
    if (text !== '') handover.give(text);
    else if (end?.failure) handover.fail(end.failure.error);
    else handover.give(null);
  }

  const body = bodyOf<string>({
    read(onPiece, onError) {
      handover.wait(onPiece, onError);
      handOver();
      if (handover.isWaiting()) onWanted();
    },
    cancel: onCancel,
  });

  return {
    body,
    isWanted: handover.isWaiting,
    add(texts) {
      if (texts.length === 0) return;
      waiting.push(...texts);
      handOver();
    },
    end(failure) {
      end ??= { failure };
      handOver();
    },
  };
}
