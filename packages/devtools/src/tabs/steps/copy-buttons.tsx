import { type ReactNode, useState } from 'react';
import { copyText } from '../../kit/copy-text.ts';
import type { CopyFormat } from './step-document.ts';

type CopyButtonsProps = {
  /** In which forms there is something to copy. */
  readonly formats: readonly CopyFormat[];
  /** What else can be done with it. */
  readonly children?: ReactNode;
  /** The text to copy; made when it is asked for. */
  readonly textOf: (options: { readonly format: CopyFormat; readonly isRedacted: boolean }) => string;
};

/** Takes along what is shown, without secrets as long as nobody wants them. */
export function CopyButtons({ formats, textOf, children }: CopyButtonsProps): ReactNode {
  const [isRedacted, setRedacted] = useState(true);
  const [told, setTold] = useState('');
  const copy = async (format: CopyFormat, button: Element): Promise<void> => {
    const isCopied = await copyText(textOf({ format, isRedacted }), button.ownerDocument);
    const how = `Copied as ${format}${isRedacted ? ', without secrets' : ''}.`;
    setTold(isCopied ? how : 'The browser did not let it be copied.');
  };
  return (
    <span className="copy">
      {children}
      {formats.map((format) => (
        <button key={format} onClick={({ currentTarget }) => void copy(format, currentTarget)}>
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
