'use client';

import type { Turn } from '@vitrine/core';
import { useState } from 'react';
import { useAgentStatus } from '../../hooks/use-agent-status.ts';
import { usePersonSentence } from '../kit/use-person-sentence.ts';

/** Why the last message was not taken. */
export type Refusal = {
  readonly problem: string | null;
  readonly tell: (error: Turn['error']) => void;
  /** Something else is tried. */
  readonly forget: () => void;
};

/** Keeps why a message was refused, until there is another. */
export function useRefusal(): Refusal {
  const [refusal, setRefusal] = useState<{ readonly error: Turn['error'] } | null>(null);
  const { error: ofSession } = useAgentStatus();
  const say = usePersonSentence();
  // What is wrong with the whole session is said by `<Notices />`, once.
  const isSaid = ofSession !== null && refusal?.error?.message === ofSession.message;
  return {
    problem: refusal === null || isSaid ? null : sentenceOf(refusal.error, say),
    tell: (error) => setRefusal({ error }),
    forget: () => setRefusal(null),
  };
}

function sentenceOf(error: Turn['error'], say: ReturnType<typeof usePersonSentence>): string | null {
  if (error === null) return 'The message could not be sent.';
  if (say === null) return null;
  const { size, limit } = error.data as { size?: unknown; limit?: unknown };
  const sentence = say(error);
  if (typeof size !== 'number' || typeof limit !== 'number') return sentence;
  return `${sentence} It has ${kB(size)}; ${kB(limit)} are allowed here.`;
}

function kB(bytes: number): string {
  return `${Math.ceil(bytes / 1024).toLocaleString('en')} kB`;
}
