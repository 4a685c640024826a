'use client';

import type { ReactNode } from 'react';
import { Attachment, nameOf } from '../kit/attachment.tsx';
import { IconButton } from '../kit/icon-button.tsx';
import { useTexts } from '../texts-provider.tsx';

type ChosenFilesProps = {
  readonly files: readonly File[];
  /** Removes a file by its index, because the same file may be listed twice. */
  readonly onRemove: (place: number) => void;
};

/** The files of the next message. */
export function ChosenFiles({ files, onRemove }: ChosenFilesProps): ReactNode {
  const { common, composer } = useTexts();
  if (files.length === 0) return null;
  return (
    <ul className="vitrine-files" aria-label={composer.attachedFiles}>
      {files.map((file, place) => (
        <li key={place}>
          <Attachment file={file} />
          <IconButton
            icon="close"
            label={composer.removeFile(nameOf(file, common))}
            onClick={() => onRemove(place)}
          />
        </li>
      ))}
    </ul>
  );
}
