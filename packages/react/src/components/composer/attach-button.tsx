'use client';

import { type ReactNode, useRef } from 'react';
import { IconButton } from '../kit/icon-button.tsx';

/** Opens the choice of files. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file may be chosen again.
          target.value = '';
        }}
      />
      <IconButton icon="clip" label="Attach files" onClick={() => input.current?.click()} />
    </>
  );
}
