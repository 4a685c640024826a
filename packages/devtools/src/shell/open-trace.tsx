import { type HubSource, importTrace, type JournalRecord, type Recorder, sessionHub } from '@vitrine/inspect';
import { type ChangeEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type Texts, useTexts } from '../texts.ts';

type OpenTraceProps = {
  readonly onFile: (file: File) => void;
  /** Null while no trace is open. */
  readonly onClose: (() => void) | null;
};

/** The entries of the menu that open a trace file and close an open trace. */
export function OpenTrace({ onFile, onClose }: OpenTraceProps): ReactNode {
  const texts = useTexts().shell;
  const input = useRef<HTMLInputElement>(null);
  const open = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const file = target.files?.[0];
    // Reset, so that the same file can be chosen again.
    target.value = '';
    if (file !== undefined) onFile(file);
  };
  return (
    <>
      {onClose && <button onClick={onClose}>{texts.closeTrace}</button>}
      <button onClick={() => input.current?.click()}>{texts.openTrace}</button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label={texts.traceFile}
        hidden
        onChange={open}
      />
    </>
  );
}

type TraceFiles = {
  /** The reason why the last file was not opened. */
  readonly refusal: string | null;
  readonly open: (file: File) => Promise<void>;
  /** Opens a record that was read elsewhere as a trace, with the agent of this name. */
  readonly show: (shown: Pick<HubSource, 'id' | 'name'>, record: JournalRecord, agentName: string) => void;
};

/** The functions that close opened traces; they outlive the panel that opened the trace. */
const closers = new WeakMap<HubSource, () => void>();

/** Returns the function that closes a trace; null for a session of the page. */
export function traceCloser(source: HubSource | null): (() => void) | null {
  return (source && closers.get(source)) ?? null;
}

/** Maximum size of a file in bytes; a larger one is not read. */
const longestFile = 48 * 2 ** 20;

/**
 * Opens trace files beside the sessions of the page. They are view only, so nothing in them runs. The page of the viewer
 * may hold a trace itself, which is opened first.
 */
export function useTraceFiles(
  recorder: Recorder,
  isViewer: boolean,
  onOpen: (source: HubSource) => void,
): TraceFiles {
  const texts = useTexts();
  const [refusal, setRefusal] = useState<string | null>(null);
  const show: TraceFiles['show'] = (shown, record, agentName) => {
    const { source, remove } = recorder.show({ ...shown, ...agentOf(agentName) }, record);
    closers.set(source, remove);
    onOpen(source);
  };
  const open = async (file: File): Promise<void> => {
    try {
      show(...(await readTrace(file, texts)));
      setRefusal(null);
    } catch (thrown) {
      setRefusal(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  const firstOpen = useRef(open);
  useEffect(() => {
    const held = isViewer ? document.getElementById('trace')?.textContent : null;
    if (held) void firstOpen.current(new File([held], 'trace.json'));
  }, [isViewer]);
  return { refusal, open, show };
}

async function readTrace(file: File, { formats, shell }: Texts): Promise<Parameters<TraceFiles['show']>> {
  if (file.size > longestFile) throw new Error(shell.traceTooLarge(file.size, longestFile));
  const { name, exportedAt, record } = importTrace(await file.text());
  const shown = {
    id: `trace-${exportedAt}-${file.name}`,
    name: shell.traceName(name, formats.time(exportedAt)),
  };
  return [shown, record, name];
}

/** The agent of a trace, if a session of this page has it. */
function agentOf(name: string): Pick<HubSource, 'agent'> {
  const agent = sessionHub()
    .sources()
    .findLast((source) => source.name === name)?.agent;
  return agent === undefined ? {} : { agent };
}
