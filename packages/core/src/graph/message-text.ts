import type { TextPart } from './message-part.ts';

/** An object with parts: a stored message or a chat message. */
type WithParts = { readonly parts: readonly { readonly type: string }[] };

/** All text parts joined, without reasoning. */
export function text(message: WithParts): string {
  return textOf(message, 'text');
}

/** All reasoning joined. */
export function reasoning(message: WithParts): string {
  return textOf(message, 'reasoning');
}

function textOf({ parts }: WithParts, type: 'text' | 'reasoning'): string {
  const found = parts.filter((part): part is TextPart => part.type === type);
  return found.length === 1 && found[0] ? found[0].text : found.map((part) => part.text).join('');
}
