/** Calls back when the page is hidden or closed; does nothing without a page. */
export function onPageHide(listener: () => void): () => void {
  return onWindow('pagehide', listener);
}

/** Calls back before the page unloads; the person may still stay. */
export function onPageLeave(listener: () => void): () => void {
  return onWindow('beforeunload', listener);
}

/** Calls back with true when the page becomes visible or focused, and with false when it is hidden. */
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
  // A test environment may end before the listener is removed, and takes the global and its methods away.
  const page = typeof window === 'undefined' ? null : window;
  if (typeof page?.addEventListener !== 'function') return () => undefined;
  page.addEventListener(type, listener);
  return () => page.removeEventListener?.(type, listener);
}
