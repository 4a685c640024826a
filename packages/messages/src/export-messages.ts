import { isToldContext } from '@vitrine/core/internal/graph/foreign-traces';
import type { FilePart, Message, MessagePart } from '@vitrine/core/internal/graph/message';
import { compile } from '@vitrine/core/internal/graph/message-store';
import { toolResultText } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import * as errors from '@vitrine/core/internal/kit/errors';
import { fromBase64 } from '@vitrine/core/internal/kit/hash';
import { isPlainObject, type JsonObject } from '@vitrine/core/internal/kit/json';
import type { SessionTree } from '@vitrine/core/internal/session/branches/session-tree';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import {
  type PlainSession,
  plainSessionOf,
  type PlainSource,
} from '@vitrine/persist/internal/manage/plain-session';
import { toAgUiMessages } from './ag-ui/messages.ts';
import type { AgUiMessage } from './ag-ui/protocol.ts';
import { toUiMessages } from './ai-sdk/to-ui-messages.ts';
import type { UiMessage } from './ai-sdk/ui-message.ts';
import { markdownOf } from './write-markdown.ts';
import { absentFile, openAiMessages } from './write-openai.ts';

/** The shapes of `exportMessages`, and what each of them is. */
export type ExportedMessages = {
  /** Messages of the AI SDK, as `toUiMessages` gives them. */
  readonly ui: readonly UiMessage[];
  /** Messages of OpenAI's chat completions, for a request or a line of JSON. */
  readonly openai: readonly JsonObject[];
  /** The body of a request to Anthropic's Messages API, without a model. */
  readonly anthropic: { readonly system?: string; readonly messages: readonly JsonObject[] };
  /** Messages of AG-UI, as `toAgUiMessages` gives them. */
  readonly 'ag-ui': readonly AgUiMessage[];
  /** A text for a person. */
  readonly markdown: string;
  /** The tree of all branches. */
  readonly plain: PlainSession;
};

/** A state, the snapshot of a session (`session.store.getState()`), or a stored session (`SessionRecord`). */
export type ExportSource = AgentState | (PlainSource & { readonly tree?: SessionTree }) | SessionRecord;

/**
 * Writes a conversation in the words of another library, for a person (`markdown`), or as a documented tree of messages
 * (`plain`), which needs no library to be read and has all branches. The others are the active branch. `importMessages`
 * reads each of them but `markdown`. Files that the store keeps are named by their hash: `exportSession` has their bytes.
 * @throws AgentError `message-invalid` for an unknown shape.
 * @example
 * const plain = exportMessages(session.store.getState(), 'plain');
 */
export function exportMessages<Shape extends keyof ExportedMessages>(
  source: ExportSource,
  shape: Shape,
): ExportedMessages[Shape] {
  if (!Object.hasOwn(writers, shape))
    throw errors.messageInvalid(
      `exportMessages: the shape ${JSON.stringify(shape)} is unknown; use one of ${Object.keys(writers).join(', ')}.`,
    );
  return writers[shape](sourceOf(source));
}

const writers: {
  readonly [Shape in keyof ExportedMessages]: (source: PlainSource) => ExportedMessages[Shape];
} = {
  ui: ({ state }) => toUiMessages(state),
  openai: ({ state }) => openAiMessages(allOf(state)),
  anthropic: ({ state }) => anthropicMessages(allOf(state)),
  'ag-ui': ({ state }) => toAgUiMessages(state),
  markdown: (source) => markdownOf(plainSessionOf(source).title, allOf(source.state)),
  plain: plainSessionOf,
};

/** The instructions, and the messages of all sections: a summary stands for the messages that it took the place of. */
function allOf({ context, createdAt }: AgentState): readonly Message[] {
  const { systemPrompt, store } = context;
  const said = compile(store).filter((message) => !isToldContext(message));
  if (systemPrompt === '') return said;
  const parts = [{ type: 'text', text: systemPrompt }] as const;
  return [{ id: 'system', role: 'system', parts, metadata: {}, createdAt, parentId: null }, ...said];
}

/** The state with its branches. Events that a store has not folded in yet are folded in. */
function sourceOf(source: ExportSource): PlainSource {
  if (!('state' in source)) return { state: source };
  if ('journal' in source) return { ...source, state: liveRecord(source).state };
  if (!('tree' in source) || source.tree === undefined) return source;
  return { ...source, branches: source.tree.branches };
}

type Turn = { readonly role: 'user' | 'assistant'; readonly content: readonly JsonObject[] };

/**
 * Messages as the body of a request to Anthropic: turns that alternate, results in turns of the user. Reasoning without
 * its signature, sources and data have no place there.
 */
function anthropicMessages(messages: readonly Message[]): {
  readonly system?: string;
  readonly messages: readonly JsonObject[];
} {
  const turns: Turn[] = [];
  for (const { role, parts } of messages) {
    if (role === 'system') continue;
    const own = role === 'assistant' ? role : 'user';
    const content = parts.flatMap(blockOf);
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (last?.role === own) turns[turns.length - 1] = { role: own, content: [...last.content, ...content] };
    else turns.push({ role: own, content });
  }
  const system = messages
    .filter(({ role }) => role === 'system')
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n\n');
  return { ...(system === '' ? {} : { system }), messages: turns };
}

function blockOf(part: MessagePart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      // Blank texts are refused.
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return thinkingOf(part);
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part;
      // The input has to be an object.
      return [{ type: 'tool_use', id, name, input: isPlainObject(input) ? input : { input } }];
    }
    case 'tool-result': {
      const { toolCallId, output, outcome } = part;
      const content = toolResultText(output);
      const failed = outcome === 'completed' ? {} : { is_error: true };
      return [{ type: 'tool_result', tool_use_id: toolCallId, content, ...failed }];
    }
    case 'file':
      return [fileOf(part)];
    default:
      return [];
  }
}

function thinkingOf({
  text,
  providerMetadata,
}: Extract<MessagePart, { type: 'reasoning' }>): readonly JsonObject[] {
  const { signature, redactedData } = (providerMetadata?.['anthropic'] ?? {}) as JsonObject;
  if (typeof redactedData === 'string') return [{ type: 'redacted_thinking', data: redactedData }];
  return typeof signature === 'string' ? [{ type: 'thinking', thinking: text, signature }] : [];
}

function fileOf(file: FilePart): JsonObject {
  const { mediaType, data, url, filename } = file;
  const isImage = mediaType.startsWith('image/');
  const title = !isImage && filename !== null ? { title: filename } : {};
  if (url !== undefined && (isImage || mediaType === 'application/pdf'))
    return { type: isImage ? 'image' : 'document', source: { type: 'url', url }, ...title };
  if (url !== undefined) return { type: 'text', text: `${filename ?? 'File'}: ${url}` };
  if (data === undefined) return { type: 'text', text: absentFile(file) };
  if (mediaType.startsWith('text/')) {
    const text = decodeText(data);
    if (text !== null)
      return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...title };
  }
  if (!isImage && mediaType !== 'application/pdf')
    return { type: 'text', text: `[File ${filename ?? mediaType}: Anthropic takes no files of this kind]` };
  return {
    type: isImage ? 'image' : 'document',
    source: { type: 'base64', media_type: mediaType, data },
    ...title,
  };
}

/** The text in the bytes of a file; null for bytes that are no text. */
function decodeText(data: string): string | null {
  const bytes = fromBase64(data);
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
