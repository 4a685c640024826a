import { type HubSource, importTrace, type Recorder } from '@vitrine/core/inspect';
import { useState } from 'react';
import { formatTime } from '../kit/format.ts';

type TraceFiles = {
  /** Why the last file was not opened. */
  readonly refusal: string | null;
  readonly open: (file: File) => Promise<void>;
};

/** How a trace is closed that was opened from a file, also by a panel that has been closed and opened since. */
const closers = new WeakMap<HubSource, () => void>();

/** Closes a trace that was opened from a file; null for a session of the page. */
export function traceCloser(source: HubSource | null): (() => void) | null {
  return (source && closers.get(source)) ?? null;
}

/** A larger file is not even read. */
const longestFile = 48 * 2 ** 20;

/** Opens trace files beside the sessions of the page: to be looked at, nothing of them runs. */
export function useTraceFiles(recorder: Recorder, onOpen: (source: HubSource) => void): TraceFiles {
  const [refusal, setRefusal] = useState<string | null>(null);
  const open = async (file: File): Promise<void> => {
    try {
      onOpen(await shownTrace(file, recorder));
      setRefusal(null);
    } catch (thrown) {
      setRefusal(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return { refusal, open };
}

async function shownTrace(file: File, recorder: Recorder): Promise<HubSource> {
  if (file.size > longestFile)
    throw new Error(
      `The trace cannot be opened. It has ${file.size} bytes; at most ${longestFile} are read.`,
    );
  const { name, exportedAt, record } = importTrace(await file.text());
  const shown = {
    id: `trace-${exportedAt}-${file.name}`,
    name: `${name} (trace of ${formatTime(exportedAt)}, view only)`,
  };
  const { source, remove } = recorder.show(shown, record);
  closers.set(source, remove);
  return source;
}
