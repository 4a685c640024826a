import { type ChangeEvent, type ReactNode, useRef } from 'react';

type OpenTraceProps = { readonly refusal: string | null; readonly onFile: (file: File) => void };

/** The button that asks for a trace file, and why the last one was not opened. */
export function OpenTrace({ refusal, onFile }: OpenTraceProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const open = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const file = target.files?.[0];
    // The same file may be chosen again.
    target.value = '';
    if (file !== undefined) onFile(file);
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
        onChange={open}
      />
      {refusal !== null && (
        <span role="alert" className="error-line">
          {refusal}
        </span>
      )}
    </>
  );
}
