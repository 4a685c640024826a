import {
  type InferenceRequest,
  type JsonObject,
  type JsonValue,
  Message,
  type MessagePart,
} from '@vitrine/core';
import fc from 'fast-check';
import { request } from '../../../../tests/upstream/plain-request.ts';

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');

/** A picture of one pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Files as pages, tools and phones give them: `[type, name, bytes in base64]`. */
export const files: readonly (readonly [string, string | null, string])[] = [
  ['image/png', 'a.png', png],
  ['image/jpeg', 'really-a-png.jpg', png],
  ['image/jpg', 'b.jpg', base64(new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0]))],
  ['image/heic', 'IMG_1.HEIC', base64('\0\0\0\x18ftypheic\0\0\0\0')],
  ['image/jpeg', 'IMG_2.jpg', base64('\0\0\0\x18ftypheic\0\0\0\0')],
  ['image/svg+xml', 'c.svg', base64('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['application/pdf', 'd.pdf', base64('%PDF-1.7 …')],
  ['application/octet-stream', null, base64('%PDF-1.7')],
  ['application/vnd.ms-excel', 'e.csv', base64(new Uint8Array([0x4d, 0xfc, 0x6c, 0x6c, 0x3b, 0x31]))],
  ['application/json', 'f.json', base64('{"a":1}')],
  ['text/markdown', 'g.md', base64('')],
  ['video/mp2t', 'h.ts', base64('export const a = 1;\r\n')],
  ['', 'Makefile', base64('all:\n\techo\n')],
  [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'i.docx',
    base64('PK\x03\x04\0\0'),
  ],
  ['application/zip', 'j\ud800.zip', base64('PK\x03\x04\0\0')],
  ['audio/mpeg', 'k.mp3', base64(new Uint8Array([0xff, 0xfb, 0x90, 0]))],
  ['video/mp4', 'l.mp4', base64('\0\0\0\x18ftypisom\0\0\0\0')],
];

const words = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('Hi', 'ok', 'Read it.', 'ü😀') },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\n\n', 'cut \ud83d', '\ude00 back', ' ends ') },
);
const metadata = fc.constantFrom<JsonObject | undefined>(
  undefined,
  { anthropic: { signature: 'sig' } },
  { openai: { reasoningEncryptedContent: 'x' } },
  { google: { thoughtSignature: 's' } },
);
const marked = <Part extends object>(part: Part, providerMetadata: JsonObject | undefined): Part =>
  providerMetadata === undefined ? part : { ...part, providerMetadata };

const text = words.map((said): MessagePart => ({ type: 'text', text: said }));
const file = fc.oneof(
  fc
    .constantFrom(...files)
    .map(([mediaType, filename, data]): MessagePart => ({ type: 'file', mediaType, filename, data })),
  fc.constantFrom<MessagePart>(
    { type: 'file', mediaType: 'image/png', filename: null, url: 'https://files.example/a.png' },
    { type: 'file', mediaType: 'image/png', filename: 'm.png', url: `data:image/png;base64,${png}` },
    { type: 'file', mediaType: 'text/csv', filename: 'n.csv', url: 'data:text/csv,a%2Cb' },
    { type: 'file', mediaType: 'image/png', filename: 'o.png', url: '/uploads/o.png' },
    { type: 'file', mediaType: 'image/png', filename: 'p.png', url: '' },
  ),
);
const callId = fc.constantFrom(
  'abcdefghi',
  'call_1',
  'toolu_01',
  'functions.read:0',
  'a b/ü',
  '',
  'x'.repeat(90),
);
const toolName = fc.constantFrom(
  'read',
  'functions.read',
  'files/read',
  '1st',
  'lesen ü',
  '',
  'n'.repeat(100),
  '💥',
);
const input = fc.constantFrom<JsonValue>({ p: 'a' }, {}, 'no json', '{"p":1}', [1], null, 3, {
  'k\ud800': ['\udfff'],
});
const call = fc
  .tuple(callId, toolName, input, metadata)
  .map(([toolCallId, name, given, more]): MessagePart =>
    marked(
      { type: 'tool-call' as const, toolCallId, toolName: name, input: given, providerCallId: null },
      more,
    ),
  );
const result = fc
  .tuple(callId, toolName, fc.constantFrom<JsonValue>('ok', '', null, { a: '\ud800' }), fc.boolean())
  .map(([toolCallId, name, output, isDone]): MessagePart => ({
    type: 'tool-result',
    toolCallId,
    toolName: name,
    output,
    outcome: isDone ? 'completed' : 'failed',
    durationMs: null,
  }));
const thought = fc
  .tuple(words, metadata)
  .map(([said, more]): MessagePart => marked({ type: 'reasoning' as const, text: said }, more));
const signedText = fc
  .tuple(words, metadata)
  .map(([said, more]): MessagePart => marked({ type: 'text' as const, text: said }, more));
const other = fc.constantFrom<MessagePart>(
  { type: 'data', name: 'row', data: 1 },
  { type: 'source', id: 's', url: null, title: null },
);

const partsOf = (...parts: readonly fc.Arbitrary<MessagePart>[]): fc.Arbitrary<MessagePart[]> =>
  fc.array(fc.oneof(...parts), { maxLength: 4 });

/** An answer with calls, and the results of most of them with their files. */
const exchange = fc
  .tuple(partsOf(signedText, thought, call, call), fc.array(fc.tuple(fc.boolean(), file, fc.nat(3))))
  .map(([parts, fates]) => {
    const calls = parts.filter((part) => part.type === 'tool-call');
    const results = calls.flatMap(({ toolCallId, toolName: name }, at): Message[] => {
      const [isFailed, beside, count] = fates[at] ?? [false, null, 1];
      if (count === 0) return [];
      const done = Message.tool({
        toolCallId,
        toolName: name,
        output: 'ok',
        outcome: isFailed ? 'failed' : 'completed',
      });
      return [beside === null || isFailed ? done : { ...done, parts: [...done.parts, beside] }];
    });
    return [Message.assistant(parts), ...results];
  });

const turn = fc.oneof(
  { weight: 3, arbitrary: partsOf(text, file, other).map((parts) => [Message.user(parts)]) },
  { weight: 3, arbitrary: exchange },
  {
    weight: 1,
    arbitrary: partsOf(signedText, thought, file, call).map((parts) => [Message.assistant(parts)]),
  },
  { weight: 1, arbitrary: partsOf(result, file).map((parts) => [Message.of('tool', parts)]) },
  { weight: 1, arbitrary: words.map((said) => [Message.system(said)]) },
);

const schema = fc.constantFrom<JsonObject>(
  { type: 'object', properties: { p: { type: 'string' } }, required: ['p'] },
  { type: 'object' },
  {},
  { type: 'object', additionalProperties: {}, propertyNames: { type: 'string' } },
  {
    anyOf: [
      { type: 'object', properties: { a: {} }, required: ['a'] },
      { type: 'object', properties: { b: {} } },
    ],
  },
  { $ref: '#/$defs/one', $defs: { one: { type: 'object', properties: { a: { description: '\ud83d' } } } } },
  { type: 'object', allOf: [{ properties: { a: {} } }, { properties: { a: { type: 'string' } } }] },
  // The next ones are as generators and MCP servers write them.
  { type: 'object', properties: { a: { type: 'array' }, b: { type: ['array', 'null'] } }, not: {} },
  { type: 'object', properties: { a: { prefixItems: [{ type: 'number' }], type: 'array' } }, enum: [] },
  {
    type: 'object',
    properties: {
      a: { type: 'array', items: [{ type: 'array' }], additionalItems: false },
      b: true,
      c: null,
    },
  },
  { properties: { a: { type: 'number', minimum: 0, exclusiveMinimum: true, description: 5 } } },
  { properties: { a: { type: 'any', enum: [], required: true } }, required: ['a', 'a', 'b'] },
  { properties: { a: { $ref: '#/$defs/gone' }, b: { $ref: 'https://example.com/schema.json' } } },
  { properties: { $filter: {}, 'b[]': {}, '\u540d': {}, ['x'.repeat(65)]: {} }, required: ['$filter'] },
  {
    $ref: '#/$defs/node',
    $defs: {
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, all: { type: 'array' } } },
    },
  },
);
const tools = fc.uniqueArray(
  fc
    .tuple(toolName, schema)
    .map(([name, inputSchema]) => ({ name, description: 'Reads \ud83d', inputSchema })),
  { selector: ({ name }) => name, maxLength: 4 },
);
/** Requests with conversations as they come from other models, failed turns and imports. */
export const conversation = fc
  .tuple(fc.array(turn, { maxLength: 8 }), tools)
  .map(([turns, offered]): InferenceRequest => ({ ...request, messages: turns.flat(), tools: offered }));
