import { openSealed, sealedText } from '../rows/sealed-text.ts';

/** What the one key of a session says that makes the rest of its keys valid. */
export type LocalPointer = {
  /** Names the records that belong to it. */
  readonly epoch: string;
  readonly head: string;
  /** A record that came with its head: one key is written at once, two are not. */
  readonly inline: readonly [number: number, text: string] | null;
};

export function writePointer({ epoch, head, inline }: LocalPointer): string {
  return sealedText([epoch, head, inline]);
}

/** Null for what is damaged, or was written by something else. */
export function readPointer(text: string): LocalPointer | null {
  try {
    const [epoch, head, inline] = openSealed(text, 'head') as [string, string, LocalPointer['inline']];
    return typeof epoch === 'string' && typeof head === 'string' ? { epoch, head, inline } : null;
  } catch {
    return null;
  }
}
