import type { InferenceRequest } from '@vitrine/core';
import { parse } from 'secure-json-parse';
import { type Problem, problems } from './problems.ts';
import { checkFileUrls, type FileUrlRules } from './file-urls.ts';
import type { RequestLimits } from './limits.ts';
import { type BodyRefusal, readText, refusalOf } from './read-chunks.ts';
import { parseRequest } from './request-schema.ts';

/** Growth of a file's bytes in base64. */
const base64Growth = 4 / 3;

export const bytesOf = (data: string): number => Math.floor(data.length / base64Growth);

/** The inference that a body asks for, or the problem with it. */
type ReadBody =
  | {
      readonly request: InferenceRequest;
      /** Bytes of the body without the data of its files. */
      readonly textBytes: number;
      readonly text: string;
    }
  | { readonly problem: Problem };

/** The most bytes that a body may have, files included. */
const mostBytes = ({ bodyBytes, imageBytes, heldBytes }: RequestLimits): number =>
  Math.min(bodyBytes + Math.ceil(imageBytes * base64Growth), heldBytes);

/** The problem of a body that is not plain JSON by its headers. */
export function bodyTypeProblem(headers: Headers): Problem | null {
  if (!/^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '')) return problems.notJsonType;
  return (headers.get('content-encoding') ?? 'identity') === 'identity' ? null : problems.encoded;
}

/** Checks the headers of a body before it is read. Returns the announced length, or null for none. */
export function announcedBody(request: Request, limits: RequestLimits) {
  const problem = bodyTypeProblem(request.headers);
  if (problem !== null) return { problem };
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (length > mostBytes(limits))
    return { problem: refusal({ refused: 'too-large', bytes: length }, limits) };
  return { length: length >= 0 ? length : null };
}

/** Reads and checks a body. Cheap checks come before expensive ones. */
export async function readBody(
  request: Request,
  makeRoom: (bytes: number) => boolean,
  limits: RequestLimits,
  rules: FileUrlRules,
): Promise<ReadBody> {
  if (request.bodyUsed) return { problem: problems.noBody };
  let hasRoom = true;
  const read = await readText(request, {
    maxBytes: mostBytes(limits),
    maxMs: limits.bodyMs,
    makeRoom: (bytes) => (hasRoom = makeRoom(bytes)),
  });
  if (!hasRoom) return { problem: problems.tooManyBytes };
  if ('refused' in read) return { problem: refusal(read, limits) };
  if (read.bytes === 0) return { problem: problems.noBody };
  const parsed = parseText(read, limits);
  if ('problem' in parsed) return parsed;
  const issue = await checkFileUrls(parsed.request, rules);
  return issue === null ? parsed : { problem: problems.fileUrl(issue) };
}

function refusal(read: BodyRefusal, { imageBytes }: RequestLimits): Problem {
  // A body of this length must contain files.
  const tooLarge = problems.filesTooLarge(Math.ceil(read.bytes / base64Growth), imageBytes);
  return refusalOf(read, tooLarge, read.bytes === 0 ? problems.noBody : problems.notJson);
}

function parseText(
  { text, bytes }: { readonly text: string; readonly bytes: number },
  limits: RequestLimits,
): ReadBody {
  const { depth, longTexts } = measureJson(text);
  if (depth > limits.depth) return { problem: problems.tooDeep(depth, limits.depth) };
  if (bytes - longTexts > limits.bodyBytes)
    return { problem: problems.tooLarge(bytes - longTexts, limits.bodyBytes) };
  const parsed = parseRequest(parseJson(text));
  if ('issue' in parsed)
    return { problem: parsed.issue === null ? problems.notJson : problems.invalid(parsed.issue) };
  const { request } = parsed;
  const encoded = fileCharacters(request);
  if (bytes - encoded > limits.bodyBytes)
    return { problem: problems.tooLarge(bytes - encoded, limits.bodyBytes) };
  const fileBytes = Math.floor(encoded / base64Growth);
  return fileBytes > limits.imageBytes
    ? { problem: problems.filesTooLarge(fileBytes, limits.imageBytes) }
    : { request, textBytes: bytes - encoded, text };
}

/** The parsed JSON, or undefined when it is invalid. Keys that would change prototypes are left out. */
export function parseJson(text: string): unknown {
  try {
    return parse(text, { protoAction: 'remove', constructorAction: 'ignore' });
  } catch {
    return undefined;
  }
}

/** Characters of the files of a request, in base64. */
export function fileCharacters({ messages }: InferenceRequest): number {
  let characters = 0;
  for (const { parts } of messages)
    for (const part of parts) if (part.type === 'file') characters += part.data?.length ?? 0;
  return characters;
}

/** The least characters of a long text, which is mostly a file and costs almost nothing to parse. */
const longText = 1024;
const [quote, backslash, openList, closeList, openObject, closeObject] = [34, 92, 91, 93, 123, 125];

/** Measures the nesting of a text, which may be no JSON, and the characters of its long texts. */
export function measureJson(text: string) {
  let [depth, deepest, longTexts] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfText(text, at);
      if (end - at > longText) longTexts += end - at;
      at = end;
    } else if (code === openObject || code === openList) {
      if (++depth > deepest) deepest = depth;
    } else if (code === closeObject || code === closeList) depth--;
  }
  return { depth: deepest, longTexts };
}

/** The index of the closing quote of the string that begins at `start`, or the end of the text when there is none. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}
