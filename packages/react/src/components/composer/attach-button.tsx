'use client';

import { type ReactNode, useRef } from 'react';
import { IconButton } from '../kit/icon-button.tsx';

/** Opens the file chooser. */
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
          // Reset, so that the same file can be chosen again.
          target.value = '';
        }}
      />
      <IconButton icon="clip" label="Attach files" onClick={() => input.current?.click()} />
    </>
  );
}
