'use client';

import type { Turn } from '@vitrine/core';
import { useState } from 'react';
import { usePersonSentence } from './use-person-sentence.ts';

type Failure = Parameters<NonNullable<ReturnType<typeof usePersonSentence>>>[0];

/**
 * Gives commands about one thing, such as a message, one at a time: a server answers late, and a second press would do the
 * same twice, or the opposite. `problem` says why the last one was refused.
 */
export function useCommand(about: unknown) {
  const say = usePersonSentence();
  const [last, setLast] = useState({ about, isGiven: false, failure: null as Failure | null });
  const { isGiven, failure } = last.about === about ? last : { isGiven: false, failure: null };
  return {
    isGiven,
    problem: failure && (say?.(failure) ?? failure.message),
    async give(command: () => Promise<Turn | void>): Promise<void> {
      if (isGiven) return;
      setLast({ about, isGiven: true, failure: null });
      const refused = await command().then(
        (turn) => (turn?.status === 'refused' ? turn.error : null),
        (thrown: Failure) => thrown,
      );
      setLast((now) => (now.about === about ? { about, isGiven: false, failure: refused } : now));
    },
  };
}
