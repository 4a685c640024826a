import { isPlainObject } from '@vitrine/core/internal/kit/json';
import type { ModelStreamPart } from './language-model.ts';

/** The paths at which provider packages put the explanation of an ended answer, the most detailed first. */
const places: readonly (readonly string[])[] = [
  ['anthropic', 'stopDetails', 'explanation'],
  ['anthropic', 'stopDetails', 'category'],
  ['google', 'finishMessage'],
  ['google', 'promptFeedback', 'blockReason'],
];
/** Finish reasons that need no explanation. */
const usual: ReadonlySet<string> = new Set(['stop', 'length', 'tool-calls']);

/** The provider's explanation of an unusual end, or else its own name for the reason. */
export function explanationOf({
  finishReason,
  providerMetadata,
}: Extract<ModelStreamPart, { type: 'finish' }>): { explanation?: string } {
  const { unified, raw = '' } = typeof finishReason === 'string' ? { unified: finishReason } : finishReason;
  if (usual.has(unified)) return {};
  const said = places.map((path) => textAt(providerMetadata, path)).find((text) => text !== '');
  // A refusal may come with the finish reason of a normal end.
  const words = said ?? (usual.has(raw) ? '' : raw);
  return words === '' ? {} : { explanation: words };
}

function textAt(value: unknown, path: readonly string[]): string {
  const found = path.reduce<unknown>((inner, key) => (isPlainObject(inner) ? inner[key] : undefined), value);
  return typeof found === 'string' ? found : '';
}
