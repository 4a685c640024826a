import type { FilePart, TextPart } from '@vitrine/core/internal/graph/message';
import { fromBase64 } from '@vitrine/core/internal/kit/hash';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { cutText, urlOf } from '@vitrine/core/internal/kit/text';
import { fileText, fileType, headBytes, isAccepted, isNamedText } from '@vitrine/core/internal/kit/text-file';
import type { Target } from './targets.ts';

/** The most characters of one text file, which are some 100,000 tokens. */
const mostCharacters = 400_000;

/** A file as the target takes it, its text, or a sentence with its name. A file of `left` is only named. */
export function fitFile(
  part: FilePart,
  { accepts, fetches }: Target,
  left: ReadonlySet<FilePart>,
): FilePart | TextPart {
  const file = withoutDataUrl(part);
  const what = nameOf(file);
  if (left.has(part)) return sentencePart(`${what} is left out, because the model provider refused it.`);
  const { data, url, filename } = file;
  if (data !== undefined) {
    const type = fileType(file.mediaType, headOf(data));
    const text = textIn(file);
    if (text !== null) return sentencePart(`${what}:]\n${text}\n[End of the file.`);
    return isAccepted(accepts, type)
      ? { ...file, mediaType: type }
      : sentencePart(`${what} cannot be read by this model: it takes no files of the type ${type}.`);
  }
  const address = url === undefined ? null : urlOf(url);
  if (address === null || !/^https?:$/.test(address.protocol))
    return sentencePart(`${what} is not available.`);
  const type = fileType(file.mediaType, '');
  if (!isNamedText(type, filename) && isAccepted(accepts, type) && fetches(type, address.href))
    return { ...file, mediaType: type };
  return sentencePart(`${what} is at ${address.href}. This model cannot open it there.`);
}

/** A file of an address that holds the bytes, with the bytes. */
function withoutDataUrl(part: FilePart): FilePart {
  const { url = '' } = part;
  if (part.data !== undefined || !url.startsWith('data:')) return part;
  const comma = url.indexOf(',');
  const head = url.slice(5, Math.max(5, comma));
  const body = comma < 0 ? '' : url.slice(comma + 1);
  const { url: _address, ...plain } = part;
  const mediaType = head.split(';')[0] || part.mediaType;
  if (head.endsWith(';base64')) return { ...plain, mediaType, data: body };
  return { ...plain, mediaType, data: base64OfText(body) };
}

function base64OfText(encoded: string): string {
  try {
    const bytes = new TextEncoder().encode(decodeURIComponent(encoded));
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  } catch {
    return btoa('');
  }
}

/** The first bytes of base64, one character for each; none for what is no base64. */
function headOf(data: string): string {
  const head = fromBase64(data.slice(0, Math.ceil(headBytes / 3) * 4));
  return head === null ? '' : String.fromCharCode(...head.subarray(0, headBytes));
}

/** The text of a file, up to the most characters; null for a file that holds none. */
const textIn = memoize(({ data = '', mediaType, filename }: FilePart): string | null => {
  const bytes = fromBase64(data);
  const text = bytes === null ? null : fileText(bytes, { mediaType, filename });
  if (text === null || text.length <= mostCharacters) return text;
  const kept = cutText(text, mostCharacters);
  return `${kept}\n[Cut: these are the first ${kept.length} of ${text.length} characters.]`;
});

function nameOf({ filename, mediaType }: FilePart): string {
  return filename === null ? `A file of type ${mediaType}` : `The file ${filename}`;
}

function sentencePart(sentence: string): TextPart {
  return { type: 'text', text: `[${sentence}]` };
}
