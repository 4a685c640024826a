'use client';

import { isAgentError } from '@vitrine/core';
import { type ReactNode, useRef } from 'react';
import { useImportSession } from '../../hooks/stored-mutations.ts';
import { Icon } from '../kit/icon.tsx';
import { useTexts } from '../texts-provider.tsx';

type ImportButtonProps = {
  readonly onOpen: (id: string) => void;
  readonly onError: (error: Error | null) => void;
};

/** Imports a session file. The file is untrusted, so all of it is validated. */
export function ImportButton({ onOpen, onError }: ImportButtonProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const importing = useImportSession();
  const { failures, sessions: texts } = useTexts();
  return (
    <>
      <button
        type="button"
        className="vitrine-button"
        aria-label={texts.import}
        title={texts.import}
        disabled={importing.isPending}
        onClick={() => field.current?.click()}
      >
        <Icon name="upload" />
      </button>
      <input
        ref={field}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={texts.fileToImport}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          onError(null);
          if (file)
            importing.mutate(
              { document: file },
              { onSuccess: onOpen, onError: (thrown) => onError(asOfFile(thrown, failures.notASessionFile)) },
            );
        }}
      />
    </>
  );
}

/** Replaces an error about stored data by one about the file. */
function asOfFile(thrown: Error, sentence: string): Error {
  return isAgentError(thrown, 'state-invalid') ? new Error(sentence) : thrown;
}
