import { type ReactNode, useState } from 'react';
import { copyText } from '../../kit/copy-text.ts';
import type { CopyFormat } from './step-document.ts';
import { useTexts } from '../../texts.ts';

type CopyButtonsProps = {
  /** The available formats. */
  readonly formats: readonly CopyFormat[];
  /** Further buttons. */
  readonly children?: ReactNode;
  /** Creates the text when a button is pressed. */
  readonly textOf: (options: { readonly format: CopyFormat; readonly isRedacted: boolean }) => string;
};

/** Buttons that copy the shown content. Secrets are redacted unless the person chooses otherwise. */
export function CopyButtons({ formats, textOf, children }: CopyButtonsProps): ReactNode {
  const texts = useTexts();
  const [isRedacted, setRedacted] = useState(true);
  const [message, setMessage] = useState('');
  const copy = async (format: CopyFormat, button: Element): Promise<void> => {
    const isCopied = await copyText(textOf({ format, isRedacted }), button.ownerDocument);
    setMessage(isCopied ? texts.step.copiedAs(format, isRedacted) : texts.common.copyRefused);
  };
  return (
    <span className="copy">
      {children}
      {formats.map((format) => (
        <button key={format} onClick={({ currentTarget }) => void copy(format, currentTarget)}>
          {texts.step.copyAs(format)}
        </button>
      ))}
      <label>
        <input type="checkbox" checked={isRedacted} onChange={({ target }) => setRedacted(target.checked)} />{' '}
        {texts.step.withoutSecrets}
      </label>
      <span role="status" className="figure">
        {message}
      </span>
    </span>
  );
}
