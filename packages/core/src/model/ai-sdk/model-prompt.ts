import type { JsonObject } from '../../kit/json.ts';
import { type FilePart, type MessagePart, type Message, text } from '../../graph/message.ts';
import { toolResultText } from '../../graph/tool-execution.ts';
import type { ModelMessage, ModelPart } from './language-model.ts';

/**
 * Converts messages to the prompt of an AI SDK language model. Results of one step become one message, as providers
 * require.
 */
export function toModelPrompt(messages: readonly Message[]): ModelMessage[] {
  const prompt: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'system') {
      prompt.push({ role: 'system', content: text(message) });
      continue;
    }
    const content = message.parts.flatMap(toModelPart);
    const last = prompt.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...content);
    else if (content.length > 0) prompt.push({ role: message.role, content });
  }
  return prompt;
}

function toModelPart(part: MessagePart): ModelPart[] {
  switch (part.type) {
    case 'text':
      // Some providers reject a blank text; others sign one, and need it back.
      return part.text.trim() === '' && part.providerMetadata === undefined
        ? []
        : [{ type: 'text', text: part.text, ...options(part) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...options(part) }];
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          input: part.input,
          ...options(part),
        },
      ];
    case 'tool-result': {
      const { toolCallId, toolName, output, outcome } = part;
      const value = toolResultText(output);
      return [
        {
          type: 'tool-result',
          toolCallId,
          toolName,
          output: { type: outcome === 'completed' ? 'text' : 'error-text', value },
        },
      ];
    }
    case 'data':
      return [];
    case 'file':
      return [toFilePart(part)];
    case 'source':
      return [];
  }
}

/**
 * Converts a file. One that cannot be sent is replaced by its name: an address that only the page can read, or a blob
 * that was not read.
 */
function toFilePart(part: FilePart): ModelPart {
  const { mediaType, filename } = part;
  const data = fileData(part);
  if (data === null) {
    const what = filename === null ? `A file of type ${mediaType}` : `The file ${filename}`;
    return { type: 'text', text: `[${what} is not available.]` };
  }
  return { type: 'file', data, mediaType, ...(filename === null ? {} : { filename }), ...options(part) };
}

function fileData({ data, url }: FilePart): object | null {
  if (url !== undefined && URL.canParse(url)) return { type: 'url', url: new URL(url) };
  return data === undefined ? null : { type: 'data', data };
}

/** The provider's metadata of a part, which goes back with it, e.g. the signature of a reasoning part. */
function options({ providerMetadata }: { readonly providerMetadata?: JsonObject }): {
  providerOptions?: Record<string, JsonObject>;
} {
  return providerMetadata ? { providerOptions: providerMetadata as Record<string, JsonObject> } : {};
}
