/** Endings of files that hold text: documents, data, configuration, code and logs. */
const endings =
  'txt text md markdown mdx rst adoc org tex bib log csv tsv json jsonl ndjson json5 jsonc geojson yaml yml toml ini cfg conf env properties xml xsd xsl svg html htm css scss sass less js mjs cjs jsx ts mts cts tsx vue svelte astro py pyi ipynb rb go rs java kt kts scala groovy gradle swift m c h cc cpp cxx hpp cs fs vb php pl pm lua r jl dart ex exs erl hs clj elm sql graphql gql proto sh bash zsh fish ps1 bat cmd tf hcl dockerfile makefile diff patch srt vtt ics vcf eml po'.split(
    ' ',
  );

/** The last words of types that hold text and do not begin with `text/`, as systems, browsers and servers name them. */
const textType =
  /[/+.-](json|ndjson|jsonl|json5|xml|svg|yaml|toml|csv|sql|graphql|javascript|ecmascript|typescript|python|perl|ruby|php|sh|shellscript|tex|rtf|rfc822|markdown|script|source|text|log)$/;

/** The ending of a file's name in small letters; the whole name of one without a dot, such as `Makefile`. */
function endingOf(filename: string | null): string {
  return (filename ?? '').split('.').at(-1)?.toLowerCase() ?? '';
}

/** True when the type or the name of a file says that it holds text. */
export function isNamedText(mediaType: string, filename: string | null): boolean {
  const type = plainType(mediaType);
  return type.startsWith('text/') || textType.test(type) || endings.includes(endingOf(filename));
}

const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
};

/** A media type in small letters, without parameters, under its registered name. */
function plainType(mediaType: string): string {
  const type = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  return (Object.hasOwn(aliases, type) ? aliases[type] : type) ?? '';
}

const signatures: readonly (readonly [type: string, begin: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
  ['image/heic', /^[^]{4}ftyp(heic|heix|hevc|heim|heis)/],
  ['image/heif', /^[^]{4}ftyp(mif1|msf1)/],
  ['image/avif', /^[^]{4}ftypavi[fs]/],
];

/** Bytes at the beginning of a file that tell its type. */
export const headBytes = 16;

/**
 * The media type of a file: by its first bytes where they tell it, because names and systems are often wrong, and
 * otherwise the given one.
 * @param head The first {@link headBytes}, one character for each.
 */
export function fileType(mediaType: string, head: string): string {
  return signatures.find(([, begin]) => begin.test(head))?.[0] ?? plainType(mediaType);
}

const marks: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** Control characters that no text holds; logs hold tabs, line ends, form feeds and escapes. */
// oxlint-disable-next-line no-control-regex -- these are looked for
const control = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/**
 * The text of a file, with line ends as `\n`; null for bytes that are no text. UTF-8 and UTF-16 are recognised, and
 * what is neither is read as Windows-1252 when the type or the name says that it is text, such as a CSV of Excel.
 * `isCut` says that the bytes are a beginning, whose last character may be divided.
 */
export function fileText(
  bytes: Uint8Array,
  { mediaType, filename, isCut = false }: { mediaType: string; filename: string | null; isCut?: boolean },
): string | null {
  // A PDF may hold letters alone.
  if (fileType('', String.fromCharCode(...bytes.subarray(0, headBytes))) !== '') return null;
  const encoding = marks.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1] ?? 'utf-8';
  const decode = (as: string): string | null => decodeBytes(bytes, as, isCut);
  const text = decode(encoding) ?? (isNamedText(mediaType, filename) ? decode('windows-1252') : null);
  return text === null || control.test(text) ? null : text.replaceAll('\r\n', '\n');
}

function decodeBytes(bytes: Uint8Array, encoding: string, isCut: boolean): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

/** True when a model that takes these media types takes a file of this type. `text/*` is any text. */
export function isAccepted(accepts: readonly string[], type: string): boolean {
  return accepts.some(
    (one) => one === type || one === '*/*' || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
  );
}

const readBytes = 64 * 1024;

/** The filter of a model that takes files of these media types. */
export function mediaTypeFilter(accepts: readonly string[]): {
  accept: string;
  takes: (file: Blob) => Promise<boolean>;
} {
  const takesText = isAccepted(accepts, 'text/plain');
  return {
    accept: [...accepts, ...(takesText ? endings.map((ending) => `.${ending}`) : [])].join(','),
    async takes(file) {
      const filename = file instanceof File ? file.name : null;
      const bytes = new Uint8Array(await file.slice(0, readBytes).arrayBuffer());
      const type = fileType(file.type, String.fromCharCode(...bytes.subarray(0, headBytes)));
      if (!type.startsWith('text/') && isAccepted(accepts, type)) return true;
      const given = { mediaType: file.type, filename, isCut: file.size > readBytes };
      return takesText && fileText(bytes, given) !== null;
    },
  };
}
