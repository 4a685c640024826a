'use client';

import { Message } from '@vitrine/core';
import { useEffect, useRef, useState } from 'react';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';

type Filter = Awaited<ReturnType<typeof Message.fileFilter>>;

/** The files that the model of the session takes. */
type FileFilter = {
  /** The attribute `accept` of a file field; undefined while the files are unknown, and for a model that takes all. */
  readonly accept: string | undefined;
  /** Resolves with the files that the model does not take. Null where it takes all. */
  readonly findRefused: ((files: readonly File[]) => Promise<readonly File[]>) | null;
};

/** The longest wait for the list of models, in milliseconds; files are taken without it. */
const mostMs = 3_000;

/** Asks the client of the agent which files the model takes. An unknown answer takes all files. */
export function useFileFilter(isOn: boolean): FileFilter {
  const { inference, llmConfig } = useAgentSession().settings().agent;
  const ofState = useAgentState((state) => state.llmConfig?.model ?? null);
  const model = ofState ?? llmConfig?.model ?? null;
  const [filter, setFilter] = useState<Filter | null>(null);
  const asked = useRef<Promise<Filter | null> | null>(null);
  const hasList = isOn && inference?.accepts !== undefined;
  useEffect(() => {
    if (!hasList) return undefined;
    let isLeft = false;
    asked.current = filterOf(inference.accepts(model));
    void asked.current.then((found) => {
      if (!isLeft) setFilter(found);
    });
    return () => void (isLeft = true);
  }, [hasList, inference, model]);
  if (!hasList) return { accept: undefined, findRefused: null };
  return {
    accept: filter?.accept,
    async findRefused(files) {
      const late = new Promise<null>((resolve) => setTimeout(resolve, mostMs, null));
      const found = await Promise.race([asked.current, late]);
      if (found === null) return [];
      // A file that cannot be read is told when it is stored.
      const isTaken = await Promise.all(files.map((file) => found.takes(file).catch(() => true)));
      return files.filter((_, at) => !isTaken[at]);
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
