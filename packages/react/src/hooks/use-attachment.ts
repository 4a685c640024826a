'use client';

import type { FilePart, SessionStore } from '@vitrine/core';
import { useContext, useDebugValue, useEffect, useState } from 'react';
import { SessionStoreContext } from '../agent-context.ts';
import { attachmentUrl } from '../attachment-url.ts';

type UseAttachmentResult = {
  /** The URL for `src` and `href`; undefined while the file loads and when it is missing. */
  readonly url: string | undefined;
  readonly status: 'loading' | 'ready' | 'missing';
};

type Shown = UseAttachmentResult & { readonly file: FilePart | Blob; readonly sessions: SessionStore | null };

const loading: UseAttachmentResult = { url: undefined, status: 'loading' };

/**
 * Creates a URL for a file of a message, or for a `File` that is not sent yet. The URL is revoked when the
 * component no longer shows the file.
 *
 * Stored files are read from the provider's store, or from the given one.
 * @example
 * const { url } = useAttachment(part);
 * return url && <img src={url} alt={part.filename ?? ''} />;
 */
export function useAttachment(file: FilePart | Blob, sessions?: SessionStore): UseAttachmentResult {
  const nearest = useContext(SessionStoreContext);
  const store = sessions ?? nearest;
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(() => {
    let isOver = false;
    let revoke = (): void => undefined;
    const show = (url?: string): void =>
      setShown({ file, sessions: store, url, status: url === undefined ? 'missing' : 'ready' });
    attachmentUrl(store, file).then(
      (found) => {
        if (isOver) return found?.revoke();
        if (found !== null) revoke = found.revoke;
        show(found?.url);
      },
      () => !isOver && show(),
    );
    return () => {
      isOver = true;
      revoke();
      setShown(null);
    };
  }, [file, store]);
  const result = shown?.file === file && shown.sessions === store ? shown : loading;
  useDebugValue(result.status);
  return result;
}
