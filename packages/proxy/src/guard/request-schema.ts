import type { InferenceRequest } from '@vitrine/core';
import { shapeOf } from '@vitrine/core/internal/graph/document/shape';
import * as nouns from '@vitrine/core/internal/graph/shapes';
import * as is from '@vitrine/core/internal/kit/check';

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
