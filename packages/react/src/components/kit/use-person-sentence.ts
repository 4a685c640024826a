'use client';

import type { explainError } from '@vitrine/core';
import { useSyncExternalStore } from 'react';
import { useTexts } from '../texts-provider.tsx';
import type { UsedTexts } from '../texts.ts';

type Failure = Parameters<typeof explainError>[0] & { readonly message: string };
type Say = (failure: Failure, texts: UsedTexts) => string;

let known: Say | null = null;
let isLoaded = false;
const listeners = new Set<() => void>();

function take(say: Say): void {
  // The sentences themselves fail to load where the page is offline.
  known = (failure, texts) => (isFailedImport(failure) ? texts.failures.missingPart : say(failure, texts));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!isLoaded)
    import('./person-sentence.ts').then(
      ({ personSentence }) => {
        isLoaded = true;
        take(personSentence);
      },
      () => take(({ message }) => message),
    );
  return () => void listeners.delete(listener);
}

/**
 * Returns the function that describes an error to the person who chats.
 *
 * Null until its sentences are loaded: they load after the page and before the first error, because that
 * error may be that the page went offline. If they fail to load, the error's own message is used.
 */
export function usePersonSentence(): ((failure: Failure) => string) | null {
  const texts = useTexts();
  const say = useSyncExternalStore(
    subscribe,
    () => known,
    () => null,
  );
  return say && ((failure) => say(failure, texts));
}

/** Messages of Chromium and Firefox, Safari and webpack for a module that failed to load. They contain the URL. */
const said =
  /dynamically imported module|importing a module script failed|loading (?:css )?chunk \S+ failed/i;

/**
 * Tells whether an error means that a module of the page failed to load, e.g. because the page went
 * offline. A person cannot use the URL in its message.
 */
export function isFailedImport(error: { readonly code: string | null; readonly message: string }): boolean {
  return error.code === null && said.test(error.message);
}
