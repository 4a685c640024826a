import type { MessagePart } from '@vitrine/core/internal/graph/message';
import { isPlainObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import * as Part from '../reading/part.ts';
import { type Fields, type Import } from '../reading/reading.ts';

/** The parts of a `ModelMessage` of the AI SDK (`CoreMessage` until 4), as applications keep `response.messages`. */
export function modelParts(content: unknown, at: string, reading: Import): readonly MessagePart[] {
  return reading.partsOf(content, `${at}.content`, (part, place) => {
    const { type, toolCallId: id, toolName: name, providerOptions } = part;
    const extra = isPlainObject(providerOptions) ? { providerMetadata: providerOptions } : {};
    switch (type) {
      case 'text':
      case 'reasoning':
        return Part.text(part['text'], type).map((one) => ({ ...one, ...extra }) as MessagePart);
      case 'image':
      case 'file':
      case 'reasoning-file':
        return fileOf(part, place, reading);
      case 'tool-call':
        return [
          { ...Part.call({ id, name, input: part['input'] ?? part['args'] }), ...extra } as MessagePart,
        ];
      case 'tool-result':
        return [Part.result({ id, name, ...endOf(part, place, reading) })];
      default:
        return null;
    }
  });
}

function fileOf(part: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { image, data = image, filename } = part;
  const isAddress = typeof data === 'string' && /^[a-z][a-z+.-]{1,20}:\/\//i.test(data);
  const mediaType = part['mediaType'] ?? part['mimeType'] ?? (image === undefined ? undefined : 'image/*');
  return reading.keepFile(Part.file({ mediaType, filename, ...(isAddress ? { url: data } : { data }) }), at);
}

/** The output of a result: until 4 a value, from 5 on a value with its kind. */
function endOf(
  part: Fields,
  at: string,
  reading: Import,
): { readonly output: JsonValue; readonly isError: boolean } {
  const { output, result, isError } = part;
  if (!isPlainObject(output)) return { output: toJson(output ?? result ?? null), isError: isError === true };
  const { type, value, reason } = output;
  switch (type) {
    case 'content':
      return { output: reading.textIn(value, `${at}.output.value`), isError: false };
    case 'execution-denied':
      return { output: `The call was rejected: ${String(reason ?? '')}`, isError: true };
    case 'text':
    case 'json':
    case 'error-text':
    case 'error-json':
      return { output: toJson(value ?? null), isError: type.startsWith('error') };
    default:
      return { output: toJson(output), isError: isError === true };
  }
}
