/**
 * Keeps an element above everything on the page by the top layer, also above dialogs that open later. A
 * modal dialog makes the panel inert: it can be read but not used.
 * @returns The function that removes it from the top layer.
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

/** Moves the element to the top by showing it again, because the last popover is on top. */
function raise(host: HTMLElement): void {
  const focused = host.shadowRoot?.activeElement;
  host.hidePopover();
  host.showPopover();
  if (focused && 'focus' in focused) (focused as HTMLElement).focus({ preventScroll: true });
}
