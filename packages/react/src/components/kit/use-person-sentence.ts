'use client';

import type { explainError } from '@vitrine/core';
import { useEffect, useState } from 'react';
import { useTexts } from '../texts-provider.tsx';
import type { UsedTexts } from '../texts.ts';

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

/**
 * Messages of Chromium and Firefox, Safari and webpack for a module that failed to load. They contain the
 * URL.
 */
const said =
  /dynamically imported module|importing a module script failed|loading (?:css )?chunk \S+ failed/i;

/**
 * Tells whether an error means that a module of the page failed to load, e.g. because the page went
 * offline. A person cannot use the URL in its message.
 */
export function isFailedImport(error: { readonly code: string | null; readonly message: string }): boolean {
  return error.code === null && said.test(error.message);
}
