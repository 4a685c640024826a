'use client';

import { type Context, createContext, type ReactNode, useContext, useMemo } from 'react';
import { type SomeTexts, texts as english, type UsedTexts } from './texts.ts';

const TextsContext: Context<UsedTexts> = createContext<UsedTexts>({ ...english, errors: {} });
TextsContext.displayName = 'Texts';

type TextsProviderProps = {
  /** Texts that replace the English ones, all or some. Create the object once, outside of components. */
  readonly texts: SomeTexts;
  /** The components that use the texts. */
  readonly children?: ReactNode;
};

/** Replaces texts of the components below, e.g. by those of another language. */
export function TextsProvider({ texts, children }: TextsProviderProps): ReactNode {
  const outer = useTexts();
  const merged = useMemo(() => withTexts(outer, texts), [outer, texts]);
  return <TextsContext.Provider value={merged}>{children}</TextsContext.Provider>;
}
TextsProvider.displayName = 'TextsProvider';

/** The texts of the nearest `TextsProvider`; English without one. */
export function useTexts(): UsedTexts {
  return useContext(TextsContext);
}

function withTexts(all: UsedTexts, some: SomeTexts): UsedTexts {
  const groups = Object.entries(some).map(([name, group]) => [
    name,
    { ...all[name as keyof UsedTexts], ...group },
  ]);
  return { ...all, ...Object.fromEntries(groups) };
}
