/**
 * A hash of a text as 22 letters and digits, to name it: two runs of cyrb53 (public domain, by bryc) with different
 * seeds. Not for secrets, because collisions can be constructed.
 */
export function hashText(text: string): string {
  return cyrb53(text, 0).padStart(11, '0') + cyrb53(text, 1).padStart(11, '0');
}

function cyrb53(text: string, seed: number): string {
  let h1 = 0xdeadbeef ^ seed;
  let h2 = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return (4294967296 * (2097151 & h2) + (h1 >>> 0)).toString(36);
}

const digits = '0123456789abcdefghijklmnopqrstuv';
export const contentHashLength = 21;

/**
 * A hash of 96 bits as 21 small letters and digits, for long texts. It works like `hashText` and is four times as
 * fast: it takes two characters at once, and its digits need no division. It distinguishes texts and finds damage; it
 * is not for secrets.
 */
export function contentHash(text: string): string {
  const [first, second, third] = hashWords(text);
  return word(first) + word(second) + word(third);
}

/** True when the hash of a text is at a position of another text. No string is built for the comparison. */
export function hasContentHash(text: string, holder: string, place: number): boolean {
  let at = place;
  for (const bits of hashWords(text))
    for (let shift = 30; shift >= 0; shift -= 5)
      if (holder.charCodeAt(at++) !== digits.charCodeAt((bits >>> shift) & 31)) return false;
  return true;
}

function hashWords(text: string): readonly [number, number, number] {
  let h1 = 0xdeadbeef | 0;
  let h2 = 0x41c6ce57 | 0;
  let h3 = 0x9e3779b9 ^ text.length;
  const pairs = text.length - 1;
  let at = 0;
  for (; at < pairs; at += 2) {
    const both = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    h1 = Math.imul(h1 ^ both, 2654435761);
    h2 = Math.imul(h2 ^ both, 1597334677);
    h3 = Math.imul(h3 ^ both, 2246822507);
    // Multiplication only moves bits to the left; the shift moves them back.
    h1 ^= h1 >>> 15;
    h2 ^= h2 >>> 13;
    h3 ^= h3 >>> 16;
  }
  if (at < text.length) {
    const last = text.charCodeAt(at);
    h1 = Math.imul(h1 ^ last, 2654435761);
    h2 = Math.imul(h2 ^ last, 1597334677);
    h3 = Math.imul(h3 ^ last, 2246822507);
  }
  return [mix(h1 ^ (h2 >>> 7)), mix(h2 ^ (h3 >>> 9)), mix(h3)];
}

/** The last steps of MurmurHash3 (public domain): every bit of the result depends on every bit of the number. */
function mix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return whole ^ (whole >>> 16);
}

/** Formats 32 bits as seven digits. */
function word(bits: number): string {
  let text = '';
  for (let shift = 30; shift >= 0; shift -= 5) text += digits.charAt((bits >>> shift) & 31);
  return text;
}

const lettersAndDigits = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Nine letters and digits made of all characters of an id, a form that every provider accepts for calls. */
export function shortId(id: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  let value = (BigInt(a >>> 0) << 32n) | BigInt(b >>> 0);
  let text = '';
  for (let count = 0; count < 9; count++) {
    text += lettersAndDigits[Number(value % 36n)];
    value /= 36n;
  }
  return text;
}

/** Bytes converted at once, because a call cannot take any number of arguments. */
const chunk = 0x8000;

export async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += chunk)
    text += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(text);
}

/** Decodes base64; null for invalid text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
