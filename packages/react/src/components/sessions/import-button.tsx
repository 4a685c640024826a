'use client';

import { isAgentError } from '@vitrine/core';
import { type ReactNode, useRef } from 'react';
import { useImportSession } from '../../stored/use-import-session.ts';
import { Icon } from '../kit/icon.tsx';

type ImportButtonProps = {
  readonly onOpen: (id: string) => void;
  readonly onError: (error: Error | null) => void;
};

/** Takes a file that was exported, from whomever it is: nothing in it is trusted. */
export function ImportButton({ onOpen, onError }: ImportButtonProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const importing = useImportSession();
  return (
    <>
      <button
        type="button"
        className="vitrine-button"
        aria-label="Import a session"
        title="Import a session"
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
        aria-label="File of a session"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          onError(null);
          if (file)
            importing.mutate(
              { document: file },
              { onSuccess: onOpen, onError: (thrown) => onError(asOfFile(thrown)) },
            );
        }}
      />
    </>
  );
}

/** What is wrong with a file is not to be told as if something had been stored. */
function asOfFile(thrown: Error): Error {
  return isAgentError(thrown, 'state-invalid')
    ? new Error('This file is no session that was exported here, or it was damaged. Nothing was imported.')
    : thrown;
}
