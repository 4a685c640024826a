import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';
import type { ToolContext } from '@vitrine/core/internal/agent/tool';
import { withMessageStore } from '@vitrine/core/internal/graph/agent-state/transitions';
import { assistant, type FilePart } from '@vitrine/core/internal/graph/message';
import { append } from '@vitrine/core/internal/graph/message-store';
import { cutToBytes } from '@vitrine/core/internal/run/tools/batch';
import { isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { cutText, textOf } from '@vitrine/core/internal/kit/text';
import { toJson } from '@vitrine/core/internal/kit/to-json';

type Content = CallToolResult['content'][number];
type ResourceContents = ReadResourceResult['contents'][number];

/** The most base64 characters of all files of a result, which is 7.5 MB. */
const mostFileCharacters = 10_000_000;

/** The shortest bytes of a file that are left out of the rest of its result. */
const leastBytes = 64;
/** The shortest base64 that is surely no cursor and no token. */
const leastBase64 = 4_096;

/**
 * The result of a call for the model: the structured content, else the text. Images, audio and binary resources become
 * files of a message in the conversation, where a person sees them too, and are named in the result. Their bytes are
 * left out of the structured content, which servers make as a twin of the content.
 */
export function readResult(result: CallToolResult, ctx: ToolContext, maxBytes: number): JsonValue {
  const read = objectsIn(result.content).map(readContent);
  const notes = addFiles(read, ctx);
  const texts = [...read.flatMap(({ text }) => (text === null ? [] : [text])), ...notes];
  const { structuredContent } = result;
  if (structuredContent === undefined || structuredContent === null)
    return cutToBytes(withoutBytes(texts.join('\n'), read), maxBytes);
  const structured = withoutBytes(toJson(structuredContent), read);
  return cutToBytes(notes.length === 0 ? structured : { ...fieldsOf(structured), files: notes }, maxBytes);
}

/** The contents of a resource for the model, as of a result. */
export function readContents(
  given: readonly ResourceContents[],
  ctx: ToolContext,
  maxBytes: number,
): JsonValue {
  const read = objectsIn(given).map(readResource);
  const texts = read.flatMap(({ text }) => (text === null ? [] : [text]));
  return cutToBytes([...texts, ...addFiles(read, ctx)].join('\n'), maxBytes);
}

/** The text of a result, for the error of a failed call; empty without any. */
export function textOfResult({ content }: CallToolResult): string {
  return objectsIn(content)
    .flatMap((part) => (part.type === 'text' ? [textOf(part.text)] : []))
    .join('\n');
}

/** The parts of a list that are objects; a server may send anything. */
export function objectsIn<Part extends object>(given: readonly Part[]): readonly Part[] {
  return Array.isArray(given) ? given.filter((part) => typeof part === 'object' && part !== null) : [];
}

/**
 * The value with a note in place of all bytes: those of the files of the result, wherever they stand in a text, and
 * other long base64. A model can read neither, and would get them again in every step.
 */
function withoutBytes(value: JsonValue, read: readonly Read[]): JsonValue {
  const json = JSON.stringify(value);
  let left = json;
  // The characters of base64 are the same in JSON.
  for (const { file } of read) {
    const { data = '' } = file ?? {};
    if (data.length >= leastBytes) left = left.replaceAll(data, noteOf(data.length));
  }
  left = left.replaceAll(/[\w+/-]+/g, (found) => (isBase64(found) ? noteOf(found.length) : found));
  return left === json ? value : (JSON.parse(left) as JsonValue);
}

/** True for long text without a gap that has all kinds of characters of base64, which words and rows have not. */
function isBase64(text: string): boolean {
  if (text.length < leastBase64) return false;
  const begin = text.slice(0, 1_000);
  return [/[A-Z]/, /[a-z]/, /\d/].every((kind) => kind.test(begin));
}

function noteOf(characters: number): string {
  return `[${characters} characters of base64 are left out.]`;
}

function fieldsOf(structured: JsonValue): JsonObject {
  return isPlainObject(structured) ? (structured as JsonObject) : { result: structured };
}

/** A part of a result: text for the model, or a file. */
type Read = { readonly text: string | null; readonly file: FilePart | null };

function readContent(part: Content): Read {
  switch (part.type) {
    case 'text':
      return { text: textOf(part.text), file: null };
    case 'image':
    case 'audio':
      return { text: null, file: fileOf(part.data, part.mimeType, null) };
    case 'resource':
      return readResource(part.resource);
    case 'resource_link':
      return { text: `[Resource ${part.uri}: ${part.title ?? part.name}]`, file: null };
    default:
      // A newer client may know more types.
      return {
        text: `[Content of the type ${JSON.stringify((part as { type: unknown }).type)}]`,
        file: null,
      };
  }
}

function readResource(resource: ResourceContents | null | undefined): Read {
  const { uri, mimeType, text, blob } = (resource ?? {}) as { [Key in 'uri' | 'text' | 'blob']?: unknown } & {
    mimeType?: string;
  };
  if (typeof blob === 'string') return { text: null, file: fileOf(blob, mimeType, nameIn(textOf(uri))) };
  return { text: `[Resource ${textOf(uri)}]\n${textOf(text)}`, file: null };
}

function nameIn(uri: string): string | null {
  const name = uri.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';
  return name === '' ? null : cutText(name, 200);
}

function fileOf(data: unknown, mediaType: unknown, filename: string | null): FilePart {
  const isType =
    typeof mediaType === 'string' && mediaType.length <= 127 && /^[\w.+-]+\/[\w.+-]+$/.test(mediaType);
  return {
    type: 'file',
    data: textOf(data),
    filename,
    mediaType: isType ? mediaType : 'application/octet-stream',
  };
}

/** Adds the files to the conversation when the call succeeds. @returns a note for each of them. */
function addFiles(read: readonly Read[], ctx: ToolContext): readonly string[] {
  const added: FilePart[] = [];
  let characters = 0;
  const notes = read.flatMap(({ file }) => {
    if (file === null) return [];
    const { data = '', mediaType, filename } = file;
    const what = `${filename === null ? 'A file' : `The file ${JSON.stringify(filename)}`} of type ${mediaType}`;
    if (characters + data.length > mostFileCharacters) return [`[${what} is left out: it is too large.]`];
    characters += data.length;
    added.push(file);
    return [`[${what} was added to the conversation.]`];
  });
  if (added.length > 0)
    ctx.update((state) =>
      withMessageStore(
        state,
        append(state.context.store, [assistant(added, { metadata: { tool_call_id: ctx.toolCallId } })]),
      ),
    );
  return notes;
}
