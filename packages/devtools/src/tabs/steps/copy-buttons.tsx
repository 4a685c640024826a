import { type ReactNode, useState } from 'react';
import type { CopyFormat } from './step-document.ts';

type CopyButtonsProps = {
  /** The text to copy; made when it is asked for. */
  readonly textOf: (options: { readonly format: CopyFormat; readonly isRedacted: boolean }) => string;
};

const formats: readonly CopyFormat[] = ['JSON', 'Markdown'];

/** Takes along what is shown, without secrets as long as nobody wants them. */
export function CopyButtons({ textOf }: CopyButtonsProps): ReactNode {
  const [isRedacted, setRedacted] = useState(true);
  const [told, setTold] = useState('');
  const copy = async (format: CopyFormat): Promise<void> => {
    try {
      await navigator.clipboard.writeText(textOf({ format, isRedacted }));
      setTold(`Copied as ${format}${isRedacted ? ', without secrets' : ''}.`);
    } catch {
      setTold('The browser did not let it be copied.');
    }
  };
  return (
    <span className="copy">
      {formats.map((format) => (
        <button key={format} onClick={() => void copy(format)}>
          Copy {format}
        </button>
      ))}
      <label>
        <input type="checkbox" checked={isRedacted} onChange={({ target }) => setRedacted(target.checked)} />{' '}
        without secrets
      </label>
      <span role="status" className="figure">
        {told}
      </span>
    </span>
  );
}
