import { isPlainObject } from '../../kit/is-plain-object.ts';
import type { ModelStreamPart } from './language-model.ts';

/** Where provider packages put what the provider says about an answer that it ended, in the order of what tells most. */
const places: readonly (readonly string[])[] = [
  ['anthropic', 'stopDetails', 'explanation'],
  ['anthropic', 'stopDetails', 'category'],
  ['google', 'finishMessage'],
  ['google', 'promptFeedback', 'blockReason'],
];
/** These say all themselves. */
const usual: ReadonlySet<string> = new Set(['stop', 'length', 'tool-calls']);

/** What the provider says about an answer that did not end as usual; else its own name for the reason. */
export function explanationOf({
  finishReason,
  providerMetadata,
}: Extract<ModelStreamPart, { type: 'finish' }>): { explanation?: string } {
  const { unified, raw = '' } = typeof finishReason === 'string' ? { unified: finishReason } : finishReason;
  if (usual.has(unified)) return {};
  const said = places.map((path) => textAt(providerMetadata, path)).find((text) => text !== '');
  // A refusal may come as an answer that stopped by itself.
  const words = said ?? (usual.has(raw) ? '' : raw);
  return words === '' ? {} : { explanation: words };
}

function textAt(value: unknown, path: readonly string[]): string {
  const found = path.reduce<unknown>((inner, key) => (isPlainObject(inner) ? inner[key] : undefined), value);
  return typeof found === 'string' ? found : '';
}
