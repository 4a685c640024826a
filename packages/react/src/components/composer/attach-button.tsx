'use client';

import { type ReactNode, useRef } from 'react';
import { IconButton } from '../kit/icon-button.tsx';
import { useTexts } from '../texts-provider.tsx';

/** Opens the file chooser. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): ReactNode {
  const texts = useTexts().composer;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.filesToAttach}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // Reset, so that the same file can be chosen again.
          target.value = '';
        }}
      />
      <IconButton icon="clip" label={texts.attach} onClick={() => input.current?.click()} />
    </>
  );
}
