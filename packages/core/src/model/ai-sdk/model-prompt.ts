import type { JsonObject } from '../../kit/json.ts';
import type { MessagePart } from '../../graph/message-part.ts';
import { type Message, text } from '../../graph/message.ts';
import { toolResultText } from '../../graph/tool-result-text.ts';
import type { ModelMessage, ModelPart } from './language-model.ts';

/** Messages as an AI SDK language model takes them. Results of one step become one message, as providers want it. */
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
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...options(part) }];
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
    case 'file': {
      const data =
        part.url === undefined
          ? { type: 'data', data: part.data ?? '' }
          : { type: 'url', url: new URL(part.url) };
      return [
        {
          type: 'file',
          data,
          mediaType: part.mediaType,
          ...(part.filename === null ? {} : { filename: part.filename }),
        },
      ];
    }
    case 'source':
      return [];
  }
}

/** What a provider gave with a part goes back with it, e.g. the signature of a thought. */
function options({ providerMetadata }: { readonly providerMetadata?: JsonObject }): {
  providerOptions?: Record<string, JsonObject>;
} {
  return providerMetadata ? { providerOptions: providerMetadata as Record<string, JsonObject> } : {};
}
