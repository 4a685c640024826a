import { useCallback, useSyncExternalStore } from 'react';

const made = new Set<string>();

function newId(): string {
  const id = crypto.randomUUID();
  made.add(id);
  return id;
}

/** True for a session that this page has begun, until it shows another one: nothing is stored of it yet. */
export function isNew(id: string): boolean {
  return made.has(id);
}

/** The session in the address: a reload, a bookmark and the back button lead to it again. */
export function useSessionId(): readonly [string, (id?: string) => void] {
  const id = useSyncExternalStore(subscribe, read);
  const open = useCallback((next: string = newId()) => {
    window.location.hash = next;
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

let fallback = newId();

function read(): string {
  const id = window.location.hash.slice(1);
  if (/^[a-zA-Z0-9_][\w-]{0,127}$/.test(id)) return id;
  // Set without an entry in the history, so that going back does not come here again.
  window.history.replaceState(null, '', `#${fallback}`);
  const first = fallback;
  fallback = newId();
  return first;
}
