import { useImportSession } from '@vitrine/react';
import { type ReactNode, useRef } from 'react';
import { Icon } from '../shell/icon.tsx';

type ImportButtonProps = {
  readonly onOpen: (id: string) => void;
  readonly onError: (error: Error) => void;
};

/** Takes a file that was exported, from whomever it is: nothing in it is trusted. */
export function ImportButton({ onOpen, onError }: ImportButtonProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const importing = useImportSession();
  return (
    <>
      <button className="button" disabled={importing.isPending} onClick={() => field.current?.click()}>
        <Icon name="upload" /> Import
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
          if (file) importing.mutate({ document: file }, { onSuccess: onOpen, onError });
        }}
      />
    </>
  );
}
