import { isPlainObject } from '@vitrine/core/internal/kit/json';
import type { Fields } from './reading.ts';

export type MessageShape =
  'ui' | 'openai' | 'openai-responses' | 'anthropic' | 'langchain' | 'ag-ui' | 'gemini';

/** The shapes of conversations: several in one file, each of them a session. */
export type SessionShape = 'chatgpt' | 'claude' | 'plain';

/** The libraries and services behind the shapes, in the words of a person. */
export const shapeNames: Readonly<Record<MessageShape | SessionShape, string>> = {
  ui: 'the AI SDK',
  openai: 'OpenAI (chat completions)',
  'openai-responses': 'OpenAI (Responses)',
  anthropic: 'Anthropic',
  langchain: 'LangChain',
  'ag-ui': 'AG-UI',
  gemini: 'Gemini',
  chatgpt: 'an export of ChatGPT',
  claude: 'an export of Claude',
  plain: 'an export of this library',
};

/** The shape of a conversation; null for a value that is none. */
export function shapeOfConversation(value: unknown): SessionShape | null {
  if (!isPlainObject(value)) return null;
  if (value['$schema'] === 'vitrine/messages') return 'plain';
  if (isPlainObject(value['mapping'])) return 'chatgpt';
  return Array.isArray(value['chat_messages']) ? 'claude' : null;
}

/**
 * The shape of a list of messages: the one that most of them show. Null when none shows any, as messages that are only a
 * role and a text.
 */
export function shapeOfMessages(list: readonly unknown[]): MessageShape | null {
  const votes = new Map<MessageShape, number>();
  for (const message of list) {
    const shape = isPlainObject(message) ? shapeOfMessage(message) : null;
    if (shape !== null) votes.set(shape, (votes.get(shape) ?? 0) + 1);
  }
  let best: MessageShape | null = null;
  for (const [shape, count] of votes) if (count > (best === null ? 0 : (votes.get(best) ?? 0))) best = shape;
  return best;
}

/** True for a value that some reader takes as a message. */
export function isMessage(value: unknown): boolean {
  return isPlainObject(value) && (typeof value['role'] === 'string' || shapeOfMessage(value) !== null);
}

const langChainTypes: readonly unknown[] = [
  'human',
  'ai',
  'system',
  'tool',
  'function',
  'generic',
  'developer',
];

/** The shape that a message shows by a field that no other shape has; null for a message that shows none. */
function shapeOfMessage(message: Fields): MessageShape | null {
  const { role, type, parts, content } = message;
  const has = (...names: readonly string[]): boolean => names.some((name) => message[name] !== undefined);
  if (message['lc'] === 1 && has('kwargs')) return 'langchain';
  if (isPlainObject(message['metadata']) && isPlainObject(message['metadata']['vitrine']))
    return Array.isArray(parts) ? 'ui' : 'ag-ui';
  if (Array.isArray(parts)) return shapeOfParts(parts, role);
  if (typeof parts === 'string' && typeof role === 'string') return 'ui';
  if (has('toolInvocations', 'experimental_attachments', 'revisionId') || role === 'data') return 'ui';
  if (has('toolCalls', 'toolCallId', 'activityType') || role === 'reasoning' || role === 'activity')
    return 'ag-ui';
  if (
    langChainTypes.includes(type) &&
    (content !== undefined || isPlainObject(message['data']) || has('text'))
  )
    return 'langchain';
  if (
    typeof type === 'string' &&
    (type === 'message' || type === 'reasoning' || /_call(_output)?$/.test(type))
  )
    return 'openai-responses';
  if (has('tool_calls', 'tool_call_id', 'function_call', 'reasoning_content') || role === 'developer')
    return 'openai';
  return Array.isArray(content) ? shapeOfContent(content) : null;
}

const geminiFields =
  /^(text|inlineData|inline_data|fileData|file_data|functionCall|function_call|functionResponse|function_response)$/;

/** The shape of a message with parts: those of the AI SDK have a type, and those of Gemini have none. */
function shapeOfParts(parts: readonly unknown[], role: unknown): MessageShape | null {
  if (role === 'model' || role === 'function') return 'gemini';
  const known = parts.filter((part) => isPlainObject(part));
  if (known.some(({ type }) => typeof type === 'string')) return 'ui';
  if (known.some((part) => Object.keys(part).some((key) => geminiFields.test(key)))) return 'gemini';
  return role === 'user' || role === 'assistant' || role === 'system' ? 'ui' : null;
}

const anthropicBlocks = /^(tool_use|thinking|redacted_thinking|server_tool_use|mcp_tool_use|\w*tool_result)$/;

function shapeOfContent(content: readonly unknown[]): MessageShape | null {
  for (const block of content) {
    if (!isPlainObject(block)) continue;
    const { type, source } = block;
    if (typeof type !== 'string') continue;
    if (type === 'tool-call' || type === 'tool-result' || (type === 'image' && block['image'] !== undefined))
      return 'ui';
    if (type === 'file' && (block['mediaType'] !== undefined || block['mimeType'] !== undefined)) return 'ui';
    if (anthropicBlocks.test(type) || Array.isArray(block['citations'])) return 'anthropic';
    if (isPlainObject(source)) return typeof source['value'] === 'string' ? 'ag-ui' : 'anthropic';
    if (type === 'binary') return 'ag-ui';
    if (type === 'input_text' || type === 'output_text' || type === 'input_image' || type === 'input_file')
      return 'openai-responses';
    if (type === 'image_url' || type === 'input_audio' || type === 'refusal' || isPlainObject(block['file']))
      return 'openai';
  }
  return null;
}
