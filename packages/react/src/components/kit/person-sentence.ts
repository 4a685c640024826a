import { explainError } from '@vitrine/core';
import type { UsedTexts } from '../texts.ts';

/**
 * Describes an error to the person who chats: with the sentence of its code, else with that of the nearest code.
 * A code without a sentence in these texts has the English one.
 */
export function personSentence(
  failure: Parameters<typeof explainError>[0],
  { errors, failures }: UsedTexts,
): string {
  const { code, explanation } = explainError(failure);
  if (code === null) return failures.unknown;
  const sentences = new Map(Object.entries(errors));
  const given = sentences.get(failure.code ?? '') ?? sentences.get(code);
  const sentence = given ?? explainError({ code }).person;
  return explanation === null ? sentence : failures.withExplanation(sentence, explanation);
}
