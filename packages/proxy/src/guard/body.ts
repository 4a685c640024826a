import type { InferenceRequest } from '@vitrine/core';
import { parse } from 'secure-json-parse';
import type { Problem } from '../problems/problem.ts';
import { problems } from '../problems/problems.ts';
import { checkFileUrls, type FileUrlRules } from './file-urls.ts';
import type { RequestLimits } from './limits.ts';
import { measureJson } from './measure-json.ts';
import { readText } from './read-text.ts';
import { parseRequest } from './request-schema.ts';

/** The inference that a body asks for with the bytes that it has besides files; or what is wrong with it. */
export type ReadBody =
  { readonly request: InferenceRequest; readonly textBytes: number } | { readonly problem: Problem };

/** Bytes of files become a third more in base64. */
const base64Growth = 4 / 3;

/** Reads and checks a body, each step before the one that costs more. */
export async function readBody(
  request: Request,
  limits: RequestLimits,
  rules: FileUrlRules,
): Promise<ReadBody> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    return { problem: problems.notJsonType };
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    return { problem: problems.encoded };
  const maxBytes = limits.bodyBytes + Math.ceil(limits.imageBytes * base64Growth);
  const read = await readText(request, { maxBytes, maxMs: limits.bodyMs });
  if ('refused' in read) return { problem: refusal(read, limits) };
  const parsed = parseText(read, limits);
  if ('problem' in parsed) return parsed;
  const issue = await checkFileUrls(parsed.request, rules);
  return issue === null ? parsed : { problem: problems.fileUrl(issue) };
}

function refusal(
  { refused, bytes }: { readonly refused: 'too-large' | 'too-slow' | 'unreadable'; readonly bytes: number },
  { imageBytes }: RequestLimits,
): Problem {
  if (refused === 'too-slow') return problems.tooSlow;
  // So much can only be files.
  return refused === 'too-large'
    ? problems.filesTooLarge(Math.ceil(bytes / base64Growth), imageBytes)
    : problems.notJson;
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
    : { request, textBytes: bytes - encoded };
}

/** Undefined for what is no JSON. Keys that would change what objects inherit are left out. */
function parseJson(text: string): unknown {
  try {
    return parse(text, { protoAction: 'remove', constructorAction: 'ignore' });
  } catch {
    return undefined;
  }
}

function fileCharacters({ messages }: InferenceRequest): number {
  let characters = 0;
  for (const { parts } of messages)
    for (const part of parts) if (part.type === 'file') characters += part.data?.length ?? 0;
  return characters;
}
