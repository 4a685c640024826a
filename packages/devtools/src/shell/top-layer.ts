/**
 * Keeps an element above everything on the page: in the top layer where there is one, on top of dialogs that open later
 * too. What is modal makes all else inert, so that the panel can then be read and not used.
 * @returns The function that lets go of it.
 */
export function keepOnTop(host: HTMLElement): () => void {
  const page = host.ownerDocument;
  const { MutationObserver: Observer } = page.defaultView ?? globalThis;
  if (typeof host.showPopover !== 'function') return () => undefined;
  host.popover = 'manual';
  host.showPopover();
  const observer = new Observer((changes) => {
    const isOpened = changes.some(
      ({ target }) => target.nodeName === 'DIALOG' && (target as HTMLDialogElement).open,
    );
    if (isOpened) raise(host);
  });
  observer.observe(page, { subtree: true, attributes: true, attributeFilter: ['open'] });
  return () => {
    observer.disconnect();
    if (host.isConnected) host.hidePopover();
    host.removeAttribute('popover');
  };
}

/** Last in, on top. */
function raise(host: HTMLElement): void {
  const focused = host.shadowRoot?.activeElement;
  host.hidePopover();
  host.showPopover();
  if (focused && 'focus' in focused) (focused as HTMLElement).focus({ preventScroll: true });
}
