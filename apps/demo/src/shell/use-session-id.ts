import { isSessionId } from '@vitrine/core/internal/kit/ids';
import { systemEnv } from '@vitrine/react';
import { useCallback, useSyncExternalStore } from 'react';

const made = new Set<string>();

function newId(): string {
  const id = systemEnv.id();
  made.add(id);
  return id;
}

/**
 * Tells whether this page just created the session, so that nothing is stored of it. False after another
 * session was shown.
 */
export function isNew(id: string): boolean {
  return made.has(id);
}

/**
 * Returns the session id in the address, so that reloads, bookmarks and the back button lead to the
 * session.
 */
export function useSessionId(): readonly [string, (id: string, isNew?: boolean) => void] {
  const id = useSyncExternalStore(subscribe, read);
  const open = useCallback((next: string, isNewOne = false) => {
    if (isNewOne) made.add(next);
    window.location.hash = encodeURIComponent(next);
  }, []);
  return [id, open];
}

function subscribe(listener: () => void): () => void {
  let shown = read();
  const onChange = (): void => {
    made.delete(shown);
    shown = read();
    listener();
  };
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}

/** The id behind the `#` of the address; empty without one, or for a text that is no id. */
function idInAddress(): string {
  try {
    const id = decodeURIComponent(window.location.hash.slice(1));
    return isSessionId(id) ? id : '';
  } catch {
    return '';
  }
}

let fallback = newId();

function read(): string {
  const id = idInAddress();
  if (id !== '') return id;
  // Replaces the history entry, so that going back does not return here.
  window.history.replaceState(null, '', `#${fallback}`);
  const first = fallback;
  fallback = newId();
  return first;
}
