import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';
import type { ToolContext } from '../../agent/tool.ts';
import { withMessageStore } from '../../graph/agent-state/transitions.ts';
import { assistant, type FilePart } from '../../graph/message.ts';
import { append } from '../../graph/message-store.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';

type Content = CallToolResult['content'][number];
type ResourceContents = ReadResourceResult['contents'][number];

/** The most base64 characters of all files of a result, which is 7.5 MB. */
const mostFileCharacters = 10_000_000;

/**
 * The result of a call for the model: the structured content, else the text. Images, audio and binary resources become
 * files of a message in the conversation, where a person sees them too, and are named in the result.
 */
export function readResult({ content, structuredContent }: CallToolResult, ctx: ToolContext): JsonValue {
  const read = content.map(readContent);
  const notes = addFiles(read, ctx);
  const texts = [...read.flatMap(({ text }) => (text === null ? [] : [text])), ...notes];
  if (structuredContent === undefined) return texts.join('\n');
  const structured = toJson(structuredContent);
  return notes.length === 0 ? structured : { ...fieldsOf(structured), files: notes };
}

/** The contents of a resource for the model, as of a result. */
export function readContents(contents: readonly ResourceContents[], ctx: ToolContext): JsonValue {
  const read = contents.map(readResource);
  return [...read.flatMap(({ text }) => (text === null ? [] : [text])), ...addFiles(read, ctx)].join('\n');
}

function fieldsOf(structured: JsonValue): JsonObject {
  return isPlainObject(structured) ? (structured as JsonObject) : { result: structured };
}

/** A part of a result: text for the model, or a file. */
type Read = { readonly text: string | null; readonly file: FilePart | null };

function readContent(part: Content): Read {
  switch (part.type) {
    case 'text':
      return { text: part.text, file: null };
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

function readResource(resource: ResourceContents): Read {
  if ('text' in resource) return { text: `[Resource ${resource.uri}]\n${resource.text}`, file: null };
  return { text: null, file: fileOf(resource.blob, resource.mimeType, nameIn(resource.uri)) };
}

function nameIn(uri: string): string | null {
  const name = uri.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';
  return name === '' ? null : name.slice(0, 200);
}

function fileOf(data: string, mediaType: string | undefined, filename: string | null): FilePart {
  const isType = mediaType !== undefined && mediaType.length <= 127 && /^[\w.+-]+\/[\w.+-]+$/.test(mediaType);
  return { type: 'file', data, filename, mediaType: isType ? mediaType : 'application/octet-stream' };
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
