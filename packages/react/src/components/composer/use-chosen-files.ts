'use client';

import { useState } from 'react';

/** The files of the next message. */
export type ChosenFiles = {
  readonly files: readonly File[];
  /** Appends files. */
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (place: number) => void;
  readonly clear: () => void;
  /** Puts files that were not sent before those that were chosen in the meantime. */
  readonly giveBack: (files: readonly File[]) => void;
};

/** Keeps the chosen files until they are sent. */
export function useChosenFiles(): ChosenFiles {
  const [files, setFiles] = useState<readonly File[]>([]);
  return {
    files,
    add: (more) => setFiles((now) => [...now, ...more]),
    remove: (place) => setFiles((now) => now.filter((_, at) => at !== place)),
    clear: () => setFiles([]),
    giveBack: (refused) => setFiles((now) => [...refused, ...now]),
  };
}
