import type { InferenceRequest } from '@vitrine/core';
import { shapeOf } from '@vitrine/core/internal/graph/document/shape';
import * as nouns from '@vitrine/core/internal/graph/shapes';
import * as is from '@vitrine/core/internal/kit/check';
import { parse } from 'secure-json-parse';
import { checkFileUrls, type FileUrlRules } from './file-urls.ts';
import type { RequestLimits } from './limits.ts';
import { type Problem, problems } from './problems.ts';
import { type BodyRefusal, readText, refusalOf } from './read-chunks.ts';

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

const share = numberBetween(0, 1);
const penalty = numberBetween(-2, 2);
const count = is.checkBy<number>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 10_000_000,
  'expected a whole number from 1 to 10,000,000',
);
const stopText = is.checkBy<string>(
  (value) => typeof value === 'string' && value.length <= 1000,
  'expected text of at most 1,000 characters',
);

function numberBetween(least: number, most: number): is.Check<number> {
  return is.checkBy(
    (value) => Number.isFinite(value) && (value as number) >= least && (value as number) <= most,
    `expected a number from ${least} to ${most}`,
  );
}

/** A list of limited length; `size` says which. */
function listOfSize<Item>(
  item: is.Check<Item>,
  isSized: (length: number) => boolean,
  size: string,
): is.Check<readonly Item[]> {
  const list = is.list(item);
  const length = is.checkBy((value) => isSized((value as readonly unknown[]).length), `expected ${size}`);
  const check: typeof list = (value, level) => list(value, level) ?? length(value, level);
  return Object.assign(check, { item });
}

/** A setting, which may be null; nulls are dropped later. */
function setting<Value>(check: is.Check<Value>): is.OptionalField<Value | null> {
  return is.optional(is.nullable(check));
}

/** The model settings that a page may choose. Other settings are dropped. */
const settings = is.objectOf({
  maxOutputTokens: setting(count),
  temperature: setting(numberBetween(0, 2)),
  topP: setting(share),
  topK: setting(count),
  presencePenalty: setting(penalty),
  frequencyPenalty: setting(penalty),
  stopSequences: setting(listOfSize(stopText, (length) => length <= 16, 'at most 16 texts')),
  seed: setting(is.timestamp),
  reasoning: setting(is.literal('off', 'low', 'medium', 'high')),
});

/**
 * The bytes themselves: some provider clients take a text like `file-…` as the name of a file in the proxy's account.
 * The pattern looks for a character outside of base64, because a long match would overflow the stack.
 */
const fileData = is.checkBy<string>(
  (data) => typeof data === 'string' && !/[^A-Za-z\d+/=]/.test(data),
  'has to be base64',
);

/** The address as we parsed it: a provider with another parser fetches from the host that was checked all the same. */
const fileUrl = { check: is.text, decode: (url: string) => (URL.canParse(url) ? new URL(url).href : url) };

// Parts are those of a stored message, without the fields that a client of core leaves out, and with stricter rules for
// files. `narrowRequest` narrows the metadata of a provider once the model is known.
const { providerCallId: _id, ...call } = nouns.parts['tool-call'].fields;
const { durationMs: _duration, ...result } = nouns.parts['tool-result'].fields;
const { blob: _blob, ...file } = nouns.file.fields;
const part = is.union<{ readonly type: keyof typeof nouns.parts }>({
  ...nouns.parts,
  'tool-call': is.objectOf(call),
  'tool-result': is.objectOf(result),
  file: is.objectOf({
    ...file,
    data: is.optional(fileData),
    url: is.optional(fileUrl),
    filename: is.or(is.text, null),
  }),
} as never);
const message = is.objectOf({
  ...nouns.message.fields,
  id: is.or(is.text, ''),
  parts: is.list(part),
  createdAt: is.or(is.number, 0),
});
const index = is.checkBy<number>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'expected a whole number of 0 or more',
);
const cacheKey = is.checkBy<string>(
  (key) => typeof key === 'string' && key.length <= 100,
  'expected text of at most 100 characters',
);
const borders = listOfSize(
  is.objectOf({ message: index, part: is.optional(index) }),
  (length) => length <= 4,
  'at most 4 borders',
);
const tool = is.objectOf({ name: is.text, description: is.or(is.text, ''), inputSchema: is.jsonObject });

/** The body of `POST /v1/inference`. Unknown fields are dropped. */
const request = is.objectOf({
  model: is.or(is.text, null),
  messages: listOfSize(message, (length) => length > 0, 'at least one message'),
  tools: is.or(is.list(tool), []),
  toolChoice: nouns.sent.fields.toolChoice,
  responseFormat: is.or(nouns.responseFormat, null),
  settings: is.or(settings, {}),
  cache: is.optional(is.objectOf({ key: is.or(cacheKey, null), borders: is.or(borders, []) })),
});
const { decode } = shapeOf(request);

/** The request, or its first problem and the place of it; null for a body that is no JSON. */
export function parseRequest(body: unknown): { request: InferenceRequest } | { issue: string | null } {
  if (body === undefined) return { issue: null };
  // The body was parsed as JSON. Checking that once more costs seconds for a large conversation.
  const fault = request(body, is.ofDocument);
  if (fault !== null) return { issue: `${is.pathOf(fault) || 'body'}: ${fault.what}` };
  // A request refers to nothing outside of it.
  const read = decode(body as never, {} as never, '') as unknown as InferenceRequest;
  const border = wrongBorder(read);
  return border < 0 ? { request: read } : { issue: `cache.borders[${border}]: ${borderRule}` };
}

const borderRule = 'expected a message of the request, and one of its parts, behind the border before it';

/** The index of the first border that is not in the request or not in order; -1 for none. */
function wrongBorder({ messages, cache }: InferenceRequest): number {
  let before = -1;
  return (cache?.borders ?? []).findIndex(({ message, part }) => {
    const count = messages[message]?.parts.length ?? 0;
    const isThere = message < messages.length && (part === undefined || part < count);
    const place = message * 2 ** 20 + (part ?? count);
    const isBehind = place > before;
    before = place;
    return !isThere || !isBehind;
  });
}
