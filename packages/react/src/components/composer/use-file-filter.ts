'use client';

import { Message } from '@vitrine/core';
import { useEffect, useRef, useState } from 'react';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';
import { takeUnlessLeft } from '../kit/take-unless-left.ts';

type Filter = Awaited<ReturnType<typeof Message.fileFilter>>;

/** The longest wait for the list of models, in milliseconds; files are taken without it. */
const mostMs = 3_000;

/** Asks the client of the agent which files the model takes. An unknown answer takes all files. */
export function useFileFilter(isOn: boolean) {
  const { inference, llmConfig } = useAgentSession().settings().agent;
  const ofState = useAgentState((state) => state.llmConfig?.model ?? null);
  const model = ofState ?? llmConfig?.model ?? null;
  const [filter, setFilter] = useState<Filter | null>(null);
  const asked = useRef<Promise<Filter | null> | null>(null);
  const hasList = isOn && inference?.accepts !== undefined;
  useEffect(() => {
    if (!hasList) return undefined;
    asked.current = filterOf(inference.accepts(model));
    return takeUnlessLeft(asked.current, setFilter);
  }, [hasList, inference, model]);
  if (!hasList) return { accept: undefined, findRefused: null };
  return {
    /** The attribute `accept` of a file field; undefined while the files are unknown, and for a model that takes all. */
    accept: filter?.accept,
    /** Resolves with the files that the model does not take. Null where it takes all. */
    async findRefused(files: readonly File[]): Promise<readonly File[]> {
      const late = new Promise<null>((resolve) => setTimeout(resolve, mostMs, null));
      const found = await Promise.race([asked.current, late]);
      if (found === null) return [];
      // A file that cannot be read is told when it is stored.
      const answers = await Promise.all(files.map((file) => found.takes(file).catch(() => true)));
      return files.filter((_, at) => !answers[at]);
    },
  };
}

/** Never rejects: a proxy that has no list may still take the files. */
async function filterOf(accepts: Promise<readonly string[] | null>): Promise<Filter | null> {
  try {
    const types = await accepts;
    return types === null ? null : await Message.fileFilter(types);
  } catch {
    return null;
  }
}
