import { type HubSource, importTrace, type Recorder } from '@vitrine/core/inspect';
import { type ChangeEvent, type ReactNode, useRef, useState } from 'react';
import { formatTime } from '../kit/format.ts';

type OpenTraceProps = { readonly recorder: Recorder; readonly onOpen: (source: HubSource) => void };

/** A larger file is not even read. */
const longestFile = 48 * 2 ** 20;

/** Opens a trace file beside the sessions of the page: to be looked at, nothing of it runs. */
export function OpenTrace({ recorder, onOpen }: OpenTraceProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const open = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = target.files?.[0];
    // The same file may be chosen again.
    target.value = '';
    if (file === undefined) return;
    try {
      onOpen(await shownTrace(file, recorder));
      setRefusal(null);
    } catch (thrown) {
      setRefusal(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <>
      <button onClick={() => input.current?.click()}>Open trace</button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="Trace file to open"
        hidden
        onChange={(event) => void open(event)}
      />
      {refusal !== null && (
        <span role="alert" className="error-line">
          {refusal}
        </span>
      )}
    </>
  );
}

async function shownTrace(file: File, recorder: Recorder): Promise<HubSource> {
  if (file.size > longestFile)
    throw new Error(
      `The trace cannot be opened. It has ${file.size} bytes; at most ${longestFile} are read.`,
    );
  const { name, exportedAt, record } = importTrace(await file.text());
  const shown = {
    id: `trace-${exportedAt}`,
    name: `${name} (trace of ${formatTime(exportedAt)}, view only)`,
  };
  return recorder.show(shown, record).source;
}
