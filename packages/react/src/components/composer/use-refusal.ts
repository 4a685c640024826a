'use client';

import type { Turn } from '@vitrine/core';
import { useState } from 'react';
import { useAgentStatus } from '../../field-hooks.ts';
import type { UsedTexts } from '../texts.ts';
import { useTexts } from '../texts-provider.tsx';
import { usePersonSentence } from '../kit/use-person-sentence.ts';

/** The place of a message whose answer was stopped because the session went on elsewhere. */
export type Overtaken = 'answered' | 'unanswered' | 'lost';
type Reason = Turn['error'] | Overtaken;

/** The reason why the last message was refused, or not answered here. */
export type Refusal = {
  readonly problem: string | null;
  readonly tell: (reason: Reason) => void;
  /** Clears the reason, e.g. when the person changes the message. */
  readonly forget: () => void;
};

const overtaken = {
  answered: 'overtakenWithAnswer',
  unanswered: 'overtakenWithoutAnswer',
  lost: 'overtakenWithoutMessage',
} as const satisfies Readonly<Record<Overtaken, keyof UsedTexts['composer']>>;

/** Keeps the reason of the last refused message until the next one. */
export function useRefusal(): Refusal {
  const [refusal, setRefusal] = useState<{ readonly reason: Reason } | null>(null);
  const { error: ofSession } = useAgentStatus();
  const say = usePersonSentence();
  const texts = useTexts();
  // `<Notices />` already shows errors of the whole session.
  const reason = refusal?.reason ?? null;
  const isSaid = ofSession !== null && typeof reason !== 'string' && reason?.message === ofSession.message;
  return {
    problem: refusal === null || isSaid ? null : sentenceOf(reason, say, texts),
    tell: (next) => setRefusal({ reason: next }),
    forget: () => setRefusal(null),
  };
}

function sentenceOf(
  error: Reason,
  say: ReturnType<typeof usePersonSentence>,
  { composer, failures }: UsedTexts,
): string | null {
  if (typeof error === 'string') return composer[overtaken[error]];
  if (error === null) return failures.notSent;
  if (say === null) return null;
  const { size, limit } = error.data as { size?: unknown; limit?: unknown };
  const sentence = say(error);
  if (typeof size !== 'number' || typeof limit !== 'number') return sentence;
  return failures.withSize(sentence, size, limit);
}
