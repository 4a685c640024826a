import type { Foreign } from '@vitrine/inspect/internal/foreign/foreign-values';

// Traces of OpenTelemetry in protobuf, read into the form of their JSON. The wire format has four kinds of values and has
// not changed since 2008; a library for it would bring three packages to everybody who runs `npx @vitrine/cli`.

/** The fields of messages that are read: number, name (`*` marks a list), and what is in it. */
const shapes: Readonly<Record<string, string>> = {
  traces: '1 resourceSpans* resource',
  resource: '2 scopeSpans* scope',
  scope: '2 spans* span',
  span: '1 traceId hex,2 spanId hex,4 parentSpanId hex,5 name text,7 startTimeUnixNano fixed,8 endTimeUnixNano fixed,9 attributes* pair,15 status status,16 flags fixed',
  status: '2 message text,3 code number',
  pair: '1 key text,2 value value',
  value:
    '1 stringValue text,2 boolValue flag,3 intValue number,4 doubleValue double,5 arrayValue list,6 kvlistValue pairs',
  list: '1 values* value',
  pairs: '1 values* pair',
};

/**
 * Reads a message by its shape.
 * @throws RangeError for bytes that are none.
 */
export function readProtobuf(bytes: Buffer, shape: string, depth = 0): Foreign {
  const fields = new Map(
    shapes[shape]?.split(',').map((text) => [Number.parseInt(text, 10), text.split(' ').slice(1)]),
  );
  const found: Record<string, unknown> = {};
  for (let at = 0; at < bytes.length;) {
    const [tag, begin] = readNumber(bytes, at);
    const wire = Number(tag & 7n);
    const [number, from] = wire === 0 || wire === 2 ? readNumber(bytes, begin) : [0n, begin];
    at = from + (wire === 2 ? Number(number) : ([0, 8, 0, Infinity, Infinity, 4][wire] ?? Infinity));
    if (at > bytes.length || depth > 100) throw new RangeError('These bytes are no protobuf.');
    const [name = '', kind = ''] = fields.get(Number(tag >> 3n)) ?? [];
    const value = valueOf(kind, bytes.subarray(from, at), number, depth);
    if (!name.endsWith('*')) found[name] = value;
    else ((found[name.slice(0, -1)] ??= []) as unknown[]).push(value);
  }
  return found;
}

function valueOf(kind: string, raw: Buffer, number: bigint, depth: number): unknown {
  if (kind === 'text') return raw.toString();
  if (kind === 'hex') return raw.toString('hex');
  if (kind === 'flag') return number !== 0n;
  if (kind === 'number') return Number(BigInt.asIntN(64, number));
  if (kind === 'double') return raw.readDoubleLE();
  if (kind === 'fixed') return raw.length === 8 ? String(raw.readBigUInt64LE()) : raw.readUInt32LE();
  return kind === '' ? null : readProtobuf(raw, kind, depth + 1);
}

/** A number of seven bits a byte, and the place behind it. */
function readNumber(bytes: Buffer, from: number): readonly [value: bigint, end: number] {
  let value = 0n;
  for (let at = from; at < bytes.length && at < from + 10; at++) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 127) << BigInt(7 * (at - from));
    if (byte < 128) return [value, at + 1];
  }
  throw new RangeError('A number in these bytes has no end.');
}
