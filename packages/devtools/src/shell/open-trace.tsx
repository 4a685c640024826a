import { type ChangeEvent, type ReactNode, useRef } from 'react';
import { useTexts } from '../texts.ts';

type OpenTraceProps = {
  readonly refusal: string | null;
  readonly onFile: (file: File) => void;
  /** Null while no trace is open. */
  readonly onClose: (() => void) | null;
};

/** The button that opens a trace file, the error of the last file, and the button that closes a trace. */
export function OpenTrace({ refusal, onFile, onClose }: OpenTraceProps): ReactNode {
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
      {refusal !== null && (
        <span role="alert" className="error-line">
          {refusal}
        </span>
      )}
    </>
  );
}
