import { foreign, type Foreign, listOf, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import { asText } from '../wire/api.ts';
import { readProtobuf } from './protobuf.ts';

/** A span of a program: a call of a model or a tool, a run of an agent, or something around these. */
export type Span = {
  readonly id: string;
  readonly trace: string;
  /** The span above it in this program; null for the first one. */
  readonly parent: string | null;
  readonly kind: 'model' | 'tool' | 'agent' | 'other';
  readonly name: string;
  /** Milliseconds on the clock of the copies, of whole ones since 1970: SDKs write the end finer than the beginning. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Foreign;
  /** The message of a span that failed. */
  readonly error: string | null;
  readonly bytes: number;
};

const kinds: readonly (readonly [kind: Span['kind'], words: RegExp])[] = [
  ['model', /^(chat|text_completion|generate_content|LLM)$/],
  ['tool', /^(execute_tool|TOOL)$/],
  ['agent', /^(invoke_agent|AGENT)$/],
];

/**
 * The spans in a request of an exporter, in protobuf or JSON. `origin` is the Unix time at which their clock begins.
 * @throws Error for a body that is neither.
 */
export function spansIn(bytes: Buffer, origin: number): readonly Span[] {
  const isJson = bytes.toString('latin1', 0, 1) === '{';
  const body = isJson ? foreign(JSON.parse(bytes.toString())) : readProtobuf(bytes, 'traces');
  const scopes = listOf(body['resourceSpans']).flatMap(({ scopeSpans }) => listOf(scopeSpans));
  return scopes.flatMap(({ spans }) => listOf(spans)).map((span) => spanOf(span, origin));
}

/** The text of the first attribute that a span has. */
export function readAttribute({ attributes }: Span, ...names: readonly string[]): string {
  return asText(attributes[names.find((name) => attributes[name] !== undefined) ?? '']);
}

function spanOf(
  { traceId, spanId, parentSpanId, name, status, flags, ...given }: Foreign,
  origin: number,
): Span {
  const attributes = attributesOf(given['attributes'], 0);
  const { code, message } = foreign(status);
  const word = asText(attributes['gen_ai.operation.name'] ?? attributes['openinference.span.kind']);
  const msOf = (nanoseconds: unknown): number => Number(BigInt(asText(nanoseconds)) / 1_000_000n) - origin;
  const start = msOf(given['startTimeUnixNano']);
  return {
    id: asText(spanId),
    trace: asText(traceId),
    // The two bits say that the span above is in another program.
    parent: (Number(flags ?? 0) & 0x300) === 0x300 ? null : textOf(parentSpanId),
    kind: kinds.find(([, words]) => words.test(word))?.[0] ?? 'other',
    name: asText(name),
    start,
    // A clock may be set back meanwhile, and a span may be told without its end.
    end: Math.max(start, msOf(given['endTimeUnixNano'])),
    attributes,
    error: code === 2 ? (textOf(message) ?? 'error') : null,
    bytes: Object.values(attributes).reduce<number>((sum, value) => sum + asText(value).length, 500),
  };
}

function attributesOf(list: unknown, depth: number): Foreign {
  return Object.fromEntries(
    listOf(list).map(({ key, value }) => [asText(key), valueOf(foreign(value), depth)]),
  );
}

/** The value of an attribute, down to a hundred lists in lists. */
function valueOf({ arrayValue, kvlistValue, intValue, ...value }: Foreign, depth: number): unknown {
  const list = foreign(arrayValue ?? kvlistValue)['values'];
  if (depth > 100) return null;
  if (kvlistValue !== undefined) return attributesOf(list, depth + 1);
  if (arrayValue !== undefined) return listOf(list).map((one) => valueOf(one, depth + 1));
  // JSON writes whole numbers as texts.
  return intValue === undefined ? Object.values(value)[0] : Number(intValue);
}
