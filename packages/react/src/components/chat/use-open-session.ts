'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { newSessionId } from '../kit/new-session-id.ts';

type OpenSessionOptions = {
  /** The session that the application shows; undefined when the chat chooses. */
  readonly sessionId: string | undefined;
  readonly onOpen: ((sessionId: string, isNew: boolean) => void) | undefined;
  readonly isStored: boolean;
  readonly name: string;
};

/**
 * Keeps the id of the open session, unless the application does. This tab remembers the id of a stored
 * session, so that a reload shows it again.
 */
export function useOpenSession({ sessionId, onOpen, isStored, name }: OpenSessionOptions) {
  const key = `vitrine-chat:${name}`;
  const [own, setOwn] = useState(
    () => (isStored ? withStorage((storage) => storage.getItem(key)) : null) ?? firstId(),
  );
  const openId = sessionId ?? own;
  useEffect(() => {
    if (isStored) withStorage((storage) => storage.setItem(key, openId));
  }, [isStored, key, openId]);
  const latest = useRef(onOpen);
  useEffect(() => {
    latest.current = onOpen;
  });
  /** Opens a session; a new one without an id. Stable, because every message would render again with another function. */
  const open = useCallback((next: string = newSessionId(), isNew = false): void => {
    setOwn(next);
    latest.current?.(next, isNew);
  }, []);
  /** Without a store the id names a session of this component only. */
  return { openId, open };
}

/** A random id in a page. On a server a fixed one, because frameworks that prerender refuse random values. */
function firstId(): string {
  return typeof document === 'undefined' ? 'new' : newSessionId();
}

/** Null on a server, and in a browser that blocks storage: without it a reload begins a new session. */
function withStorage<Value>(act: (storage: Storage) => Value): Value | null {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}
