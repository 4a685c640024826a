/** Calls application code: what it throws is reported, and harms nobody else. */
export function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (thrown) {
    if (typeof reportError === 'function') reportError(thrown);
  }
}

export type Listeners<Value> = {
  readonly add: (listener: (value: Value) => void) => () => void;
  readonly notify: (value: Value) => void;
};

export function createListeners<Value>(): Listeners<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(value) {
      for (const listener of listeners) callSafely(() => listener(value));
    },
  };
}

/** Calls back when the page goes away, as far as there is one. */
export function onPageHide(listener: () => void): () => void {
  return onWindow('pagehide', listener);
}

/** Calls back when the page is about to go away; it may still stay. */
export function onPageLeave(listener: () => void): () => void {
  return onWindow('beforeunload', listener);
}

/** Calls back when somebody looks at the page again, or has gone to another one. */
export function onPageView(listener: (isSeen: boolean) => void): () => void {
  const offFocus = onWindow('focus', () => listener(true));
  const page = typeof document === 'undefined' ? null : document;
  const onVisibility = (): void => listener(page?.visibilityState !== 'hidden');
  page?.addEventListener('visibilitychange', onVisibility);
  return () => {
    offFocus();
    page?.removeEventListener('visibilitychange', onVisibility);
  };
}

function onWindow(type: 'pagehide' | 'beforeunload' | 'focus', listener: () => void): () => void {
  if (typeof window === 'undefined' || typeof window.addEventListener !== 'function') return () => undefined;
  window.addEventListener(type, listener);
  return () => window.removeEventListener(type, listener);
}
