'use client';

import type { explainError } from '@vitrine/core';
import { useEffect, useState } from 'react';
import { isFailedImport, missingPart } from './failed-import.ts';

type Failure = Parameters<typeof explainError>[0] & { readonly message: string };
type Say = (failure: Failure) => string;

let known: Say | null = null;

/**
 * Returns the function that describes an error to the person who chats.
 *
 * Null until its sentences are loaded: they load after the page and before the first error, because that
 * error may be that the page went offline. If they fail to load, the error's own message is used.
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

/** Covers the case that the sentences themselves fail to load because the page is offline. */
function orMissingPart(say: Say): Say {
  return (failure) => (isFailedImport(failure) ? missingPart : say(failure));
}
