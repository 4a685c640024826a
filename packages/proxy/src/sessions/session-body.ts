import { bodyTypeProblem } from '../guard/body.ts';
import { hexOf, sha256 } from '../kit/digest.ts';
import { readChunks, refusalOf } from '../guard/read-chunks.ts';
import { type Problem, problems } from '../guard/problems.ts';
import { JsonReader, type FlatJson } from './json-reader.ts';
import { sessionProblems } from './session-problems.ts';
import type { SessionLimits } from './session-routes-options.ts';

/** Reads the fields of a body and throws a {@link BodyIssue} for an invalid one. */
type ReadFields<Body> = (fields: Fields) => Body;

type Fields = ReturnType<typeof fieldsOf>;

class BodyIssue extends Error {
  override readonly name = 'BodyIssue';
}

const rowName = /^[A-Za-z0-9.]{1,64}$/;

/** The bodies of requests; their texts are parsed by the readers. */
export const sessionBodies = {
  write: ({ text, rows, restOrNames, hashesOrNull }: Fields) => ({
    head: text('head'),
    put: rows('put'),
    drop: restOrNames('drop'),
    blobs: hashesOrNull('blobs'),
  }),
  append: ({ textOrNull, flag, rows, names, hashes }: Fields) => ({
    record: textOrNull('record'),
    head: textOrNull('head'),
    isStrict: flag('isStrict'),
    put: rows('put'),
    drop: names('drop'),
    blobs: hashes('blobs'),
  }),
  rows: ({ names }: Fields) => ({ names: names('names') }),
};

/** The amount of a body that is read before the event loop gets a turn. */
const sliceSize = 256 * 1024;

/** Reads and checks a body in short turns. Cheap checks come before expensive ones. */
export async function readSessionBody<Body>(
  request: Request,
  read: ReadFields<Body>,
  limits: SessionLimits,
): Promise<{ readonly body: Body } | { readonly problem: Problem }> {
  const problem = bodyTypeProblem(request.headers);
  if (problem !== null) return { problem };
  const found = await readJson(request, limits);
  if ('problem' in found) return found;
  try {
    return { body: read(fieldsOf(found.value)) };
  } catch (thrown) {
    if (thrown instanceof BodyIssue) return { problem: sessionProblems.invalid(thrown.message) };
    throw thrown;
  }
}

async function readJson(
  request: Request,
  { bodyBytes, bodyMs }: SessionLimits,
): Promise<{ readonly value: FlatJson } | { readonly problem: Problem }> {
  const reader = new JsonReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let sinceTurn = 0;
  const read = await readChunks(request, { maxBytes: bodyBytes, maxMs: bodyMs }, async (chunk) => {
    for (let at = 0; at < chunk.byteLength; at += sliceSize) {
      const slice = chunk.subarray(at, at + sliceSize);
      reader.push(decoder.decode(slice, { stream: true }));
      sinceTurn += slice.byteLength;
      if (sinceTurn < sliceSize) continue;
      sinceTurn = 0;
      await turn();
    }
  });
  if ('refused' in read)
    return { problem: refusalOf(read, sessionProblems.tooLarge(bodyBytes), problems.notJson) };
  try {
    reader.push(decoder.decode());
    return { value: reader.end() };
  } catch {
    return { problem: problems.notJson };
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function fieldsOf(value: FlatJson) {
  const fields = value instanceof Map ? value : new Map<string, FlatJson>();

  function field<Value>(name: string, wanted: string, is: (found: unknown) => found is Value): Value {
    const found = fields.get(name);
    if (is(found)) return found;
    throw new BodyIssue(`${name}: expected ${wanted}`);
  }

  const names = (name: string): string[] => field(name, 'a list of row names', isListOf(rowName));
  const hashes = (name: string): string[] =>
    fields.has(name) ? field(name, 'a list of hashes', isListOf(fileHash)) : [];
  return {
    names,
    hashes,
    text: (name: string): string => field(name, 'a text', isText),
    textOrNull: (name: string): string | null =>
      fields.get(name) === null ? null : field(name, 'a text or null', isText),
    flag: (name: string): boolean => field(name, 'true or false', (found) => typeof found === 'boolean'),
    rows(name: string): ReadonlyMap<string, string> {
      const rows = field(name, 'rows by name', (found) => found instanceof Map);
      for (const [row, text] of rows)
        if (!rowName.test(row) || !isText(text)) throw new BodyIssue(`${name}.${row}: expected a row`);
      return rows;
    },
    hashesOrNull: (name: string): string[] | null => (fields.get(name) === null ? null : hashes(name)),
    restOrNames: (name: string): 'rest' | string[] => (fields.get(name) === 'rest' ? 'rest' : names(name)),
  };
}

function isText(found: unknown): found is string {
  return typeof found === 'string';
}

function isListOf(pattern: RegExp): (found: unknown) => found is string[] {
  return (found): found is string[] =>
    Array.isArray(found) && found.every((one) => isText(one) && pattern.test(one));
}

/** The header with the type of a file, percent-encoded; the body itself is sent and served as opaque bytes. */
export const fileTypeHeader = 'x-file-type';

/** The content type of all files on the wire. */
export const fileContentType = 'application/octet-stream';

/** The name of a file: the SHA-256 of its bytes in hexadecimal digits. */
export const fileHash = /^[0-9a-f]{64}$/;

type SentFile = { readonly bytes: ArrayBuffer; readonly mediaType: string };

/** Reads a file and checks its hash. Cheap checks come before expensive ones. */
export async function readSessionFile(
  request: Request,
  hash: string,
  { fileBytes, bodyMs }: SessionLimits,
): Promise<{ readonly file: SentFile } | { readonly problem: Problem }> {
  const { headers } = request;
  if (headers.get('content-type') !== fileContentType) return { problem: sessionProblems.notFileType };
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') return { problem: problems.encoded };
  const mediaType = mediaTypeOf(headers);
  if (mediaType === null) return { problem: sessionProblems.invalidFileType };
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const read = await readChunks(request, { maxBytes: fileBytes, maxMs: bodyMs }, (chunk) => {
    chunks.push(chunk);
  });
  if ('refused' in read)
    return { problem: refusalOf(read, sessionProblems.fileTooLarge(fileBytes), sessionProblems.otherFile) };
  const bytes = await new Blob(chunks).arrayBuffer();
  if (hexOf(await sha256(bytes)) !== hash) return { problem: sessionProblems.otherFile };
  return { file: { bytes, mediaType } };
}

/** The type of a file; null when it is not percent-encoded text, or too long. */
function mediaTypeOf(headers: Headers): string | null {
  try {
    const type = decodeURIComponent(headers.get(fileTypeHeader) ?? '');
    // Databases accept no NUL.
    return type.length > 255 || type.includes('\0') ? null : type;
  } catch {
    return null;
  }
}
