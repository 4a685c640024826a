import type { JsonValue } from '../../kit/json.ts';
import type { SentRange, SentRequest } from '../types.ts';
import type { MessageTable } from './message-table.ts';
import type { EncodedSent, EncodedSentRange } from './schema.ts';

/** Context for encoding a value: the positions of messages and texts in the document. */
export type EncodeContext = {
  readonly table: MessageTable;
  readonly texts: readonly (readonly [string, JsonValue])[];
  readonly textAt: (hash: string) => number;
};

/** Encodes a request by reference: positions in the document's tables replace ids and hashes. */
export function encodeSent(sent: SentRequest, ctx: EncodeContext): EncodedSent {
  const { inferenceId, model, settings, toolChoice, prompt, tools, responseFormat, messages, extra } = sent;
  return {
    inferenceId,
    ...(model === null ? {} : { model }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...(toolChoice === 'auto' ? {} : { toolChoice }),
    prompt: ctx.textAt(prompt),
    tools: ctx.textAt(tools),
    ...(responseFormat === null ? {} : { responseFormat: ctx.textAt(responseFormat) }),
    ...(sent.tracesOf === undefined ? {} : { tracesOf: sent.tracesOf }),
    ...(sent.isCharged === undefined ? {} : { isCharged: sent.isCharged }),
    ...(extra.length === 0 ? {} : { extra: ctx.table.rangesOf(extra) }),
    ...(messages.length === 0 ? {} : { messages: messages.map((range) => encodeRange(range, ctx)) }),
    ...(sent.omitted.length === 0
      ? {}
      : { omitted: sent.omitted.map(({ range, reason }) => ({ range: encodeRange(range, ctx), reason })) }),
  };
}

function encodeRange({ section, first, last, count }: SentRange, { table }: EncodeContext): EncodedSentRange {
  if (section === null) return [null, first, last, count];
  // An execution written alone has no sections, so the ids stay.
  const place = (id: string): number | string => (table.placeOf(id) < 0 ? id : table.placeOf(id));
  return [section, place(first), place(last), count];
}
