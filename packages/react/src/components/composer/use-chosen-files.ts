'use client';

import type { Turn } from '@vitrine/core';
import { useState } from 'react';
import { usePersonSentence } from '../kit/use-person-sentence.ts';

/** The files that go with the next message, and why the last ones could not. */
export type ChosenFiles = {
  readonly files: readonly File[];
  readonly problem: string | null;
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (file: File) => void;
  readonly clear: () => void;
  /** They were refused: they are shown again, with the reason. */
  readonly giveBack: (files: readonly File[], error: Turn['error']) => void;
};

/** Keeps the files that are chosen, until they are sent. */
export function useChosenFiles(): ChosenFiles {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [refusal, setRefusal] = useState<{ readonly error: Turn['error'] } | null>(null);
  const say = usePersonSentence();
  const change = (update: (files: readonly File[]) => readonly File[]): void => {
    setFiles(update);
    setRefusal(null);
  };
  return {
    files,
    problem: refusal === null ? null : sentenceOf(refusal.error, say),
    add: (more) => change((now) => [...now, ...more]),
    remove: (file) => change((now) => now.filter((entry) => entry !== file)),
    clear: () => change(() => []),
    giveBack(refused, error) {
      change((now) => [...refused, ...now]);
      setRefusal({ error });
    },
  };
}

function sentenceOf(error: Turn['error'], say: ReturnType<typeof usePersonSentence>): string | null {
  if (error === null) return 'The files could not be sent.';
  if (say === null) return null;
  const { size, limit } = error.data as { size?: unknown; limit?: unknown };
  const sentence = say(error);
  if (typeof size !== 'number' || typeof limit !== 'number') return sentence;
  return `${sentence} It has ${kB(size)}; ${kB(limit)} are allowed here.`;
}

function kB(bytes: number): string {
  return `${Math.ceil(bytes / 1024).toLocaleString('en')} kB`;
}
