'use client';

import type { ReactNode, RefObject } from 'react';

type FileFieldProps = {
  /** The field. A button clicks it, to open the choice of files. */
  readonly field: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly accept: string | undefined;
  readonly onFiles: (files: readonly File[]) => void;
};

/** A hidden field of files. */
export function FileField({ field, label, accept, onFiles }: FileFieldProps): ReactNode {
  return (
    <input
      ref={field}
      type="file"
      multiple
      hidden
      accept={accept}
      aria-label={label}
      onChange={({ target }) => {
        onFiles([...(target.files ?? [])]);
        // Reset, so that the same file can be chosen again.
        target.value = '';
      }}
    />
  );
}
