'use client';

import type { Turn } from '@vitrine/core';
import { useState } from 'react';
import { useAgentStatus } from '../../hooks/use-agent-status.ts';
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

const elsewhere = 'This conversation went on elsewhere';
const overtaken: { readonly [Place in Overtaken]: string } = {
  answered: `${elsewhere}. Your message is in it, and so is its answer, as far as it had come.`,
  unanswered: `${elsewhere}. Your message is in it, but the answer that was made here was stopped.`,
  lost: `${elsewhere}, and your message is not in it. Send it again.`,
};

/** Keeps the reason of the last refused message until the next one. */
export function useRefusal(): Refusal {
  const [refusal, setRefusal] = useState<{ readonly reason: Reason } | null>(null);
  const { error: ofSession } = useAgentStatus();
  const say = usePersonSentence();
  // `<Notices />` already shows errors of the whole session.
  const reason = refusal?.reason ?? null;
  const isSaid = ofSession !== null && typeof reason !== 'string' && reason?.message === ofSession.message;
  return {
    problem: refusal === null || isSaid ? null : sentenceOf(reason, say),
    tell: (next) => setRefusal({ reason: next }),
    forget: () => setRefusal(null),
  };
}

function sentenceOf(error: Reason, say: ReturnType<typeof usePersonSentence>): string | null {
  if (typeof error === 'string') return overtaken[error];
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
