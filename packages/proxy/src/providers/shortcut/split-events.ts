import { eventTooLong } from '../../stream/capped.ts';

const separator = /\r?\n\r?\n/g;

/** Splits arriving pieces into server-sent events, each with its blank line. */
export type EventSplitter = {
  /** Adds the complete events. Returns an error for an event over the limit, otherwise null. */
  readonly push: (piece: Uint8Array | string, events: string[]) => Error | null;
  /** The text behind the last complete event. */
  readonly rest: () => string;
};

/** @param maxLength In characters, of one event. */
export function splitEvents(maxLength: number): EventSplitter {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';

  /** Decoders in streaming mode take several times as long. */
  const decode = (piece: Uint8Array): string => decoder.decode(piece, { stream: (piece.at(-1) ?? 0) > 127 });

  return {
    push(piece, events) {
      const from = Math.max(0, rest.length - 3);
      const text = rest + (typeof piece === 'string' ? piece : decode(piece));
      let begin = 0;
      separator.lastIndex = from;
      for (let end = separator.exec(text); end !== null; end = separator.exec(text)) {
        if (separator.lastIndex - begin > maxLength) break;
        events.push(text.slice(begin, separator.lastIndex));
        begin = separator.lastIndex;
      }
      rest = text.slice(begin);
      return rest.length > maxLength ? eventTooLong(maxLength) : null;
    },
    rest: () => rest + decoder.decode(),
  };
}
