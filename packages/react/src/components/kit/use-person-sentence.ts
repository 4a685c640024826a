'use client';

import type { explainError } from '@vitrine/core';
import { useEffect, useState } from 'react';
import type { UsedTexts } from '../texts.ts';
import { useTexts } from '../texts-provider.tsx';
import { isFailedImport } from './failed-import.ts';

type Failure = Parameters<typeof explainError>[0] & { readonly message: string };
type Say = (failure: Failure, texts: UsedTexts) => string;

let known: Say | null = null;

/**
 * Returns the function that describes an error to the person who chats.
 *
 * Null until its sentences are loaded: they load after the page and before the first error, because that
 * error may be that the page went offline. If they fail to load, the error's own message is used.
 */
export function usePersonSentence(): ((failure: Failure) => string) | null {
  const texts = useTexts();
  const [say, setSay] = useState<Say | null>(() => known);
  useEffect(() => {
    if (known !== null) return undefined;
    let isUsed = true;
    const take = (next: Say): void => {
      if (isUsed) setSay(() => next);
    };
    import('./person-sentence.ts').then(
      ({ personSentence }) => take((known = orMissingPart(personSentence))),
      () => take(orMissingPart(({ message }) => message)),
    );
    return () => {
      isUsed = false;
    };
  }, []);
  return say && ((failure) => say(failure, texts));
}

/** Covers the case that the sentences themselves fail to load because the page is offline. */
function orMissingPart(say: Say): Say {
  return (failure, texts) => (isFailedImport(failure) ? texts.failures.missingPart : say(failure, texts));
}
