import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { urlOf, wellFormed } from '@vitrine/core/internal/kit/text';
import { wellFormedJson } from '@vitrine/core/internal/kit/to-json';
import {
  type FilePart,
  type MessagePart,
  type MessageRole,
  text,
  type ToolResultPart,
} from '@vitrine/core/internal/graph/message';
import { toolResultText } from '@vitrine/core/internal/graph/tool-execution';
import type { ModelMessage, ModelPart, ModelToolOutput } from './language-model.ts';

type PromptMessage = { readonly role: MessageRole; readonly parts: readonly MessagePart[] };

/**
 * Converts messages to the prompt of an AI SDK language model. Results of one step become one message, as providers
 * require, and files behind a result become part of it. `isOld` gives files as version 3 of the model's interface does.
 */
export function toModelPrompt(messages: readonly PromptMessage[], isOld = false): ModelMessage[] {
  const prompt: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'system') {
      const { providerMetadata } = message.parts.findLast(isMarked) ?? {};
      prompt.push({
        role: 'system',
        content: wellFormed(text(message)),
        ...options(providerMetadata === undefined ? {} : { providerMetadata }),
      });
      continue;
    }
    const content =
      message.role === 'tool'
        ? toResults(message.parts, isOld)
        : message.parts.flatMap((part) => toModelPart(part, isOld));
    const last = prompt.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...content);
    else if (content.length > 0) prompt.push({ role: message.role, content });
  }
  return prompt;
}

function toModelPart(part: MessagePart, isOld: boolean): ModelPart[] {
  switch (part.type) {
    case 'text':
      // Some providers reject a blank text; others sign one, and need it back.
      return part.text.trim() === '' && part.providerMetadata === undefined
        ? []
        : [{ type: 'text', text: wellFormed(part.text), ...options(part) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: wellFormed(part.text), ...options(part) }];
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          input: wellFormedJson(part.input),
          ...options(part),
        },
      ];
    case 'file':
      return [toFilePart(part, isOld)];
    // A result stands in a message of the tool.
    case 'tool-result':
    case 'data':
    case 'source':
      return [];
  }
}

/** Converts the parts of a message with results; other parts belong to the result before them. */
function toResults(parts: readonly MessagePart[], isOld: boolean): ModelPart[] {
  const results: { readonly part: ToolResultPart; readonly beside: ModelPart[] }[] = [];
  for (const part of parts) {
    if (part.type === 'tool-result') results.push({ part, beside: [] });
    else results.at(-1)?.beside.push(...toModelPart(part, isOld));
  }
  return results.map(({ part, beside }) => {
    const { toolCallId, toolName, output, outcome } = part;
    const value = wellFormed(toolResultText(output));
    const given: ModelToolOutput =
      outcome !== 'completed'
        ? { type: 'error-text', value }
        : beside.length === 0
          ? { type: 'text', value }
          : { type: 'content', value: [{ type: 'text', text: value }, ...beside] };
    return {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: given,
      ...(isMarked(part) ? options(part) : {}),
    };
  });
}

/** A file, or its name for an address that only the page can read and a blob that was not read. */
function toFilePart(part: FilePart, isOld: boolean): ModelPart {
  const { mediaType, filename, data, url } = part;
  const address = url === undefined ? null : urlOf(url);
  if (address === null && data === undefined) {
    const what = filename === null ? `A file of type ${mediaType}` : `The file ${filename}`;
    return { type: 'text', text: `[${what} is not available.]` };
  }
  const name = filename === null ? {} : { filename: wellFormed(filename) };
  const typed = address === null ? { type: 'data', data } : { type: 'url', url: address };
  return { type: 'file', data: isOld ? (address ?? data) : typed, mediaType, ...name, ...options(part) };
}

/** True for a part with metadata of a provider, such as the mark of a border. */
function isMarked(part: MessagePart): part is MessagePart & { readonly providerMetadata: JsonObject } {
  return 'providerMetadata' in part && part.providerMetadata !== undefined;
}

/** The provider's metadata of a part, which goes back with it, e.g. the signature of a reasoning part. */
function options({ providerMetadata }: { readonly providerMetadata?: JsonObject }): {
  providerOptions?: Record<string, JsonObject>;
} {
  return providerMetadata ? { providerOptions: providerMetadata as Record<string, JsonObject> } : {};
}
