'use client';

import type { Turn } from '@vitrine/core';
import { type ReactNode, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { usePersonSentence } from './use-person-sentence.ts';

type Failure = Parameters<NonNullable<ReturnType<typeof usePersonSentence>>>[0];

/**
 * Gives commands about one thing, such as a message, one at a time: a server answers late, and a second press would do the
 * same twice, or the opposite. `problem` says why the last one was refused, until it is about another thing or session.
 */
export function useCommand(about: unknown) {
  const session = useAgentSession();
  const say = usePersonSentence();
  const [last, setLast] = useState({ session, about, isGiven: false, failure: null as Failure | null });
  const isSame = last.session === session && last.about === about;
  const { isGiven, failure } = isSame ? last : { isGiven: false, failure: null };
  return {
    isGiven,
    problem: failure && (say?.(failure) ?? failure.message),
    async give(command: () => Promise<Turn | void>): Promise<void> {
      if (isGiven) return;
      const mine = { session, about, isGiven: true, failure: null };
      setLast(mine);
      const refused = await command().then(
        (turn) => (turn?.status === 'refused' ? turn.error : null),
        (thrown: Failure) => thrown,
      );
      setLast((now) => (now === mine ? { ...mine, isGiven: false, failure: refused } : now));
    },
  };
}

/** Says why a command was refused; nothing for one that was not. */
export function Refusal({ problem }: { readonly problem: string | null }): ReactNode {
  if (problem === null) return null;
  return (
    <p className="vitrine-problem" role="alert">
      {problem}
    </p>
  );
}
