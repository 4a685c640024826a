import { openSealed, sealedText } from '../rows/sealed-text.ts';

/** The value of a session's head key, which makes its other keys valid. */
export type LocalPointer = {
  /** The part of the names of its records. */
  readonly epoch: string;
  readonly head: string;
  /** A record that came with its head. One key is written atomically, two are not. */
  readonly inline: readonly [number: number, text: string] | null;
};

export function writePointer({ epoch, head, inline }: LocalPointer): string {
  return sealedText([epoch, head, inline]);
}

/** Parses a pointer; null for a damaged or foreign value. */
export function readPointer(text: string): LocalPointer | null {
  try {
    const [epoch, head, inline] = openSealed(text, 'head') as [string, string, LocalPointer['inline']];
    return typeof epoch === 'string' && typeof head === 'string' ? { epoch, head, inline } : null;
  } catch {
    return null;
  }
}
