import type { InferenceRequest, JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../../kit/is-object.ts';
import { type OfflineReply, type OfflineTurn, readTurn } from './turn.ts';

/** Begins the first answer of a conversation, so that nobody takes the rules for a model. */
const notice = '*This is the offline demo model: it follows simple rules and needs no key.*\n\n';

/** Chooses the reply by simple rules over messages, results and tools. They know no particular agent. */
export function ownReply(request: InferenceRequest): OfflineReply {
  const turn = readTurn(request);
  const { asked, said, results, news } = turn;
  if (results.length > 0) return { text: news.map(describeResult).join('\n\n') };
  const begin = said.length === 1 ? notice : '';
  const call = callNamed(turn) ?? searchFirst(turn);
  if (call !== null) return { text: `${begin}Let me use \`${call.name}\` for that.`, toolCalls: [call] };
  const echo = asked.trim() === '' ? 'You sent no text.' : `You said: “${asked.trim().slice(0, 200)}”.`;
  return { text: `${begin}${echo}\n\n${abilities(turn)}` };
}

/** A text about what the model can do with these tools. */
function abilities({ request: { tools } }: OfflineTurn): string {
  const named = tools.filter((tool) => !takesQuery(tool)).map(({ name }) => `\`${name}\``);
  const list = [
    ...(tools.some(takesQuery) ? ['**search** (say for what)'] : []),
    ...(named.length > 0 ? [`call ${named.slice(0, 10).join(', ')} (say its name)`] : []),
  ];
  return `Offline I can ${list.join(', or ') || 'repeat what you say'}. Set an API key to talk to a real model.`;
}

function describeResult({ toolName, output, outcome }: OfflineTurn['results'][number]): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  if (outcome === 'rejected') return `You did not want \`${toolName}\` to run, so it did not.`;
  return `\`${toolName}\` ${outcome === 'completed' ? 'answered' : 'did not work'}: ${text}`;
}

type ToolDescription = InferenceRequest['tools'][number];
type Call = NonNullable<OfflineReply['toolCalls']>[number];

/** True for a tool that is called with the words of the message, whatever its name is. */
function takesQuery({ inputSchema }: ToolDescription): boolean {
  return isObject(inputSchema['properties']) && 'query' in inputSchema['properties'];
}

/** Calls the first tool that takes a query. */
function searchFirst({ asked, request }: OfflineTurn): Call | null {
  const tool = request.tools.find(takesQuery);
  const query = contentWords(asked).slice(0, 6).join(' ');
  return tool && query !== '' ? { name: tool.name, input: { query } } : null;
}

/** Calls the tool whose name or description shares most words with the message. A word of a name counts three times. */
function callNamed({ asked, request }: OfflineTurn): Call | null {
  if (request.toolChoice === 'none') return null;
  const words = contentWords(asked);
  const [best] = request.tools
    .filter((tool) => !takesQuery(tool))
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  if (best === undefined) return null;
  const named = words.filter((word) => isShared(word, contentWords(best.tool.name)));
  return { name: best.tool.name, input: inputFor(best.tool.inputSchema, asked, named) };
}

function scoreOf({ name, description }: ToolDescription, words: readonly string[]): number {
  const [names, described] = [contentWords(name), contentWords(description)];
  return words.reduce(
    (sum, word) => sum + (isShared(word, names) ? 3 : isShared(word, described) ? 1 : 0),
    0,
  );
}

function isShared(word: string, words: readonly string[]): boolean {
  return words.some((other) => isSame(word, other));
}

/** True for a word and a form of it: order and orders, refund and refunded. */
function isSame(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short === long || (short.length > 2 && long.length - short.length < 4 && long.startsWith(short));
}

/** The deepest schema that is filled in. */
const deepest = 8;

/** The parts of a message that are left for arguments. */
type Message = {
  readonly text: string;
  /** Numbers in their order; each is used once. */
  readonly numbers: number[];
  /** Words without the name of the tool. */
  readonly words: readonly string[];
  readonly definitions: JsonObject;
};

/**
 * Arguments that a schema accepts: its default, example or first choice, else numbers and words of the message, as the
 * one behind the name of an argument. @param named The words that name the tool.
 */
function inputFor(schema: JsonObject, text: string, named: readonly string[]): JsonObject {
  const numbers = (text.match(/[^\s,;:!?()"€$%]+/g) ?? [])
    .filter((word) => /^-?\d{1,15}(?:\.\d{1,15})?\.?$/.test(word))
    .map(Number);
  const words = contentWords(text).filter((word) => !named.includes(word));
  const definitions = [schema['$defs'], schema['definitions']].find(isObject) ?? {};
  const value = valueFor(schema, '', { text, numbers, words, definitions }, 0);
  return isObject(value) ? value : {};
}

function valueFor(given: JsonValue | undefined, name: string, message: Message, depth: number): JsonValue {
  const schema = resolveReference(given, message.definitions);
  const fixed = fixedValue(schema);
  if (fixed !== undefined) return fixed;
  if (depth > deepest) return null;
  const choices = [schema['anyOf'], schema['oneOf'], schema['allOf']].find(Array.isArray);
  if (choices !== undefined && schema['type'] === undefined) {
    const some = choices.find((choice) => !isObject(choice) || choice['type'] !== 'null');
    return valueFor(some, name, message, depth + 1);
  }
  const type = typeOf(schema);
  if (type === 'object') return objectFor(schema, message, depth + 1);
  if (type === 'array') {
    const length = Math.min(Math.max(1, numberIn(schema, 'minItems') ?? 1), 20);
    return Array.from({ length }, () => valueFor(schema['items'], name, message, depth + 1));
  }
  if (type === 'number' || type === 'integer') return numberFor(schema, message);
  if (type === 'boolean') return true;
  return type === 'null' ? null : textFor(schema, name, message);
}

function resolveReference(given: JsonValue | undefined, definitions: JsonObject): JsonObject {
  const schema = isObject(given) ? given : {};
  const reference = schema['$ref'];
  const found =
    typeof reference === 'string' ? definitions[reference.slice(reference.lastIndexOf('/') + 1)] : null;
  return isObject(found) ? found : schema;
}

/** The value that a schema names itself; undefined for none. */
function fixedValue(schema: JsonObject): JsonValue | undefined {
  const { const: constant, default: usual, example, examples, enum: choices } = schema;
  const [first] = Array.isArray(examples) ? examples : [];
  const [choice] = Array.isArray(choices) ? choices : [];
  return constant ?? usual ?? example ?? first ?? choice;
}

function typeOf({ type, properties, items }: JsonObject): string {
  const types: readonly JsonValue[] = Array.isArray(type) ? type : [type ?? null];
  const known = types.find((one) => typeof one === 'string' && one !== 'null');
  if (typeof known === 'string') return known;
  if (types.includes('null') && type !== undefined) return 'null';
  return properties !== undefined ? 'object' : items !== undefined ? 'array' : 'string';
}

/** The required properties, or all of them where none is. */
function objectFor(schema: JsonObject, message: Message, depth: number): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = required.length === 0 ? Object.keys(properties) : required.map(String);
  return Object.fromEntries(
    names.map((name) => [name, valueFor(properties[name], name, message, depth)] as const),
  );
}

function numberFor(schema: JsonObject, { numbers }: Message): number {
  const least = numberIn(schema, 'minimum') ?? (numberIn(schema, 'exclusiveMinimum') ?? 0) + 1;
  const most = numberIn(schema, 'maximum') ?? (numberIn(schema, 'exclusiveMaximum') ?? Infinity) - 1;
  const at = numbers.findIndex((number) => number >= least && number <= most);
  const [found = Math.min(least, most)] = at < 0 ? [] : numbers.splice(at, 1);
  const step = numberIn(schema, 'multipleOf') ?? (typeOf(schema) === 'integer' ? 1 : 0);
  return step > 0 ? Math.ceil(found / step) * step : found;
}

function numberIn(schema: JsonObject, name: string): number | null {
  const value = schema[name];
  // Zod bounds integers by the largest that is safe, which no person means.
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;
}

/** Texts of a format that a schema may ask for. */
const formats: Readonly<Record<string, readonly [RegExp, string]>> = {
  date: [/\b\d{4}-\d{2}-\d{2}\b/, '2026-01-31'],
  'date-time': [/\b\d{4}-\d{2}-\d{2}T[\d:.]{4,12}Z/, '2026-01-31T12:00:00Z'],
  time: [/\b\d{2}:\d{2}:\d{2}\b/, '12:00:00'],
  email: [/[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63}/, 'ada@example.com'],
  uri: [/https?:\/\/[^\s"<>]{1,500}/, 'https://example.com'],
  uuid: [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i, '123e4567-e89b-42d3-a456-426614174000'],
};

function textFor(schema: JsonObject, name: string, { text, words }: Message): string {
  const [pattern, usual] = formats[String(schema['format'])] ?? [];
  if (pattern !== undefined && usual !== undefined) return pattern.exec(text)?.[0] ?? usual;
  // The example of a description is like `e.g. Europe/Zurich`.
  const example = /\be\.g\.,? ["'`]?([^\s"'`,;)]+)/.exec(String(schema['description'] ?? ''))?.[1];
  const said = wordBehind(text, name) ?? example ?? /["“]([^"“”\n]{1,200})["”]/.exec(text)?.[1];
  const value = said ?? (words.join(' ') || text.trim() || name);
  const most = Math.max(1, numberIn(schema, 'maxLength') ?? 500);
  return value.padEnd(numberIn(schema, 'minLength') ?? 0, '.').slice(0, most);
}

/** The word behind the name of an argument: `order A-1`, `city: Rome`. */
function wordBehind(text: string, name: string): string | null {
  const at = name === '' ? -1 : text.toLowerCase().indexOf(name.toLowerCase());
  if (at < 0 || /\w/.test(text.charAt(at - 1))) return null;
  const [, word = ''] =
    /^(?:\s{0,3}[:=]\s{0,3}|\s{1,3})([\w/.-]{1,100})/.exec(text.slice(at + name.length)) ?? [];
  return contentWords(word).length === 0 && !/\d/.test(word) ? null : word;
}

/** Words that say nothing of a tool. */
const small =
  /^(?:a|about|an|and|are|as|at|be|by|can|do|does|for|from|how|i|in|is|it|its|me|my|not|of|on|or|our|please|say|tell|that|the|their|them|then|there|this|to|us|was|we|what|when|where|which|who|why|will|with|you|your)$/;

/** The words of a text that mean something, each once and in lower case; a name like `add_note` or `addNote` has two. */
function contentWords(text: string): readonly string[] {
  const parted = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
  const words = parted.toLowerCase().match(/[\p{L}\p{N}-]{2,}/gu) ?? [];
  return [...new Set(words.filter((word) => !small.test(word)))];
}
