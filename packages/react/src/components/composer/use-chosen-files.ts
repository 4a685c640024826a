'use client';

import { useState } from 'react';

/** The files that go with the next message. */
export type ChosenFiles = {
  readonly files: readonly File[];
  /** Behind those that are there. */
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (place: number) => void;
  readonly clear: () => void;
  /** They were not sent: they are shown again, before those that were chosen meanwhile. */
  readonly giveBack: (files: readonly File[]) => void;
};

/** Keeps the files that are chosen, until they are sent. */
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
