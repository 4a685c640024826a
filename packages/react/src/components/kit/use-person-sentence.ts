'use client';

import type { explainError } from '@vitrine/core';
import { useEffect, useState } from 'react';
import { isFailedImport, missingPart } from './failed-import.ts';

type Failure = Parameters<typeof explainError>[0] & { readonly message: string };
type Say = (failure: Failure) => string;

let known: Say | null = null;

/**
 * What an error says to the person who chats. Null until the sentences are there: they come after the page and before the
 * first error, which may be that nothing can be loaded any more. Its own message stands for them where they did not come.
 */
export function usePersonSentence(): Say | null {
  const [say, setSay] = useState<Say | null>(() => known);
  useEffect(() => {
    if (known !== null) return undefined;
    let isUsed = true;
    const take = (next: Say): void => {
      if (isUsed) setSay(() => next);
    };
    import('./person-sentence.ts').then(
      ({ explainError: explain }) => take((known = orMissingPart((failure) => explain(failure).person))),
      () => take(orMissingPart(({ message }) => message)),
    );
    return () => {
      isUsed = false;
    };
  }, []);
  return say;
}

/** What does not come while a page is offline may be these sentences as well. */
function orMissingPart(say: Say): Say {
  return (failure) => (isFailedImport(failure) ? missingPart : say(failure));
}
