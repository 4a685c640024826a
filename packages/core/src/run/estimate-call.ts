import { inputPrices, type ModelPrice, priceRow } from '../graph/llm-config.ts';
import { runtimeLacks } from '../kit/errors.ts';
import { fromMillionths } from '../kit/numbers.ts';
import type { MessagePart, Message } from '../graph/message.ts';
import { memoize, memoizeGrowing } from '../kit/memoize.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { jsonText } from '../model/request-body.ts';

/** The most that a model call may spend, as far as known; null is unknown. */
export type CallEstimate = {
  readonly tokens: number | null;
  readonly cost: number | null;
  /** The least that the call will spend. A call is refused when this exceeds the remaining budget. Default: nothing. */
  readonly least?: { readonly tokens: number; readonly cost: number };
};

/** Upper bound of bytes of text a token, used while no ratio was measured. */
const mostBytesPerToken = 8;
/** Bytes of a request that are not counted for a refusal: short texts say little about the size of their tokens. */
const freeBytes = 1024;

/**
 * Estimates the spending of a call. The most is the output limit, or else the largest output so far, plus the bytes of
 * the request: a text never has more tokens than bytes. It is unknown without an output limit and an earlier output;
 * the cost is also unknown without a price. It is that of the dearest row that so many bytes can reach, with all input
 * written to the cache; the least is that of input that is read from there. The least is an eighth of the bytes of text, or half of the measured
 * ratio.
 */
export function estimateCall(call: {
  /** Size of the request in UTF-8 bytes. */
  readonly requestBytes: number;
  /** Bytes of text among `requestBytes`, without files. */
  readonly textBytes: number;
  /** True for files, which may have more tokens than bytes, as those that a model fetches itself. Default: false. */
  readonly hasFiles?: boolean;
  readonly maxOutputTokens: number | null;
  /** Output tokens of the largest answer so far, see `Ledger.largestOutput`; null before the first. */
  readonly largestOutput: number | null;
  /** Lowest measured ratio of tokens to bytes, see `Ledger.tokensPerByte`; null before the first measurement. */
  readonly tokensPerByte: number | null;
  readonly price: ModelPrice | null;
}): CallEstimate {
  const { requestBytes, price, tokensPerByte } = call;
  const ratio = tokensPerByte === null ? 1 / mostBytesPerToken : tokensPerByte / 2;
  const leastTokens = Math.floor(Math.max(0, call.textBytes - freeBytes) * ratio);
  const cheapestInput = price === null ? 0 : Math.min(...inputPrices(price, leastTokens, Infinity));
  const least = { tokens: leastTokens, cost: fromMillionths(Math.floor(leastTokens * cheapestInput)) };
  const output = call.maxOutputTokens ?? call.largestOutput;
  if (output === null) return { tokens: null, cost: null, least };
  const tokens = requestBytes + output;
  if (price === null) return { tokens, cost: null, least };
  const most = call.hasFiles === true ? Infinity : requestBytes;
  const dearestInput = Math.max(...inputPrices(price, 0, most));
  const dearestOutput = Math.max(price.output, priceRow(price, most).output);
  const cost = fromMillionths(Math.ceil(requestBytes * dearestInput + output * dearestOutput));
  return { tokens, cost, least };
}

/** Created at its first use, because test runners may bring it after this module is loaded. */
let encoder: TextEncoder | null = null;
const bytesOfJson = memoize((value: object) => textBytes(jsonText(value)));

function sumOver(amountOf: (message: Message) => number): (messages: readonly Message[]) => number {
  return memoizeGrowing<Message, number>((before, messages, from) =>
    messages.slice(from).reduce((sum, message) => sum + amountOf(message), before ?? 0),
  );
}

const bytesOfMessages = sumOver(({ parts }) => bytesOfJson(parts));

/** Bytes of a request in UTF-8. Messages and tools are memoised, because they stay the same between requests. */
export function sentBytes({ messages, tools, responseFormat }: InferenceRequest): number {
  const fixed = bytesOfJson(tools) + (responseFormat === null ? 0 : bytesOfJson(responseFormat));
  return fixed + bytesOfMessages(messages);
}

/** Bytes of the text of a request. Files such as images are left out: they have many bytes and few tokens. */
export function sentTextBytes(request: InferenceRequest): number {
  return sentBytes(request) - bytesOfFiles(request.messages);
}

/** True when the request has files. Their tokens do not depend on their bytes. */
export function hasFiles({ messages }: InferenceRequest): boolean {
  return countOfFiles(messages) > 0;
}

const isText = /^(text\/|application\/json\b)/i;
const bytesOfFiles = sumOver(({ parts }) =>
  parts.reduce((bytes, part) => {
    const isBinary = part.type === 'file' && !isText.test(part.mediaType);
    return bytes + (isBinary ? (part.data?.length ?? 0) : 0);
  }, 0),
);
const countOfFiles = sumOver(({ parts }) => parts.filter(({ type }) => type === 'file').length);

/** Bytes of a model's output in UTF-8. */
export function receivedBytes(parts: readonly MessagePart[]): number {
  return parts.reduce((sum, part) => sum + textBytes(outputOf(part)), 0);
}

export function textBytes(text: string): number {
  if (typeof TextEncoder === 'undefined') throw runtimeLacks('TextEncoder');
  encoder ??= new TextEncoder();
  return encoder.encode(text).length;
}

function outputOf(part: MessagePart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return part.toolName + JSON.stringify(part.input);
    case 'file':
      return part.data ?? part.url ?? '';
    default:
      return '';
  }
}
