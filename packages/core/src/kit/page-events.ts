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
