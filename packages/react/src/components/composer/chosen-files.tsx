import type { ReactNode } from 'react';
import { Attachment, nameOf } from '../kit/attachment.tsx';

type ChosenFilesProps = {
  readonly files: readonly File[];
  readonly onRemove: (file: File) => void;
};

/** The files that go with the next message. */
export function ChosenFiles({ files, onRemove }: ChosenFilesProps): ReactNode {
  if (files.length === 0) return null;
  return (
    <ul className="vitrine-files" aria-label="Attached files">
      {files.map((file, place) => (
        <li key={place}>
          <Attachment file={file} />
          <button
            type="button"
            className="vitrine-button vitrine-quiet"
            aria-label={`Remove ${nameOf(file)}`}
            onClick={() => onRemove(file)}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}
