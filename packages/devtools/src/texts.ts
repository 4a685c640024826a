import { type Context, createContext, useContext } from 'react';
import { debugTexts } from './debug-texts.ts';
import { formatTexts } from './format-texts.ts';
import { panelTexts } from './panel-texts.ts';
import { stepTexts } from './step-texts.ts';
import { viewTexts } from './view-texts.ts';

/** The English texts of the panel, by group. Each one is a string, or a function of the values in it. */
export const texts = { formats: formatTexts, ...panelTexts, ...viewTexts, ...stepTexts, ...debugTexts };

type Groups = typeof texts;

/**
 * All texts of the panel in one language, by group. A translation of this type has a type error for each missing text.
 */
export type Texts = { readonly [Group in keyof Groups]: Readonly<Groups[Group]> };

/** Some texts of the panel. Other texts stay English. */
export type SomeTexts = { readonly [Group in keyof Texts]?: Partial<Texts[Group]> };

/** Context: the texts of the panel. */
export const TextsInUse: Context<Texts> = createContext<Texts>(texts);

export function useTexts(): Texts {
  return useContext(TextsInUse);
}

/** The English texts with some of them replaced. */
export function textsWith(some: SomeTexts | undefined): Texts {
  if (some === undefined) return texts;
  const groups = Object.entries(some).map(([name, group]) => [
    name,
    { ...(texts[name as keyof Texts] as object), ...group },
  ]);
  return { ...texts, ...Object.fromEntries(groups) };
}
