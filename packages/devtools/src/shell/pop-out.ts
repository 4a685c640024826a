/** The host element of the panel, and the callbacks for a move to another document. */
type Movable = {
  readonly host: HTMLElement;
  readonly title: string;
  /** Applies the styles again, because they work only in their own document. */
  readonly restyle: () => void;
  /** Called with the window that contains the panel after the move. */
  readonly onWindow: (view: Window) => void;
};

/**
 * Moves the panel into its own window; closing that window brings it back. Browsers allow this only during a user
 * gesture. @returns The function that brings the panel back; null when the browser blocks the window.
 */
export function popOut({ host, title, restyle, onWindow }: Movable): (() => void) | null {
  const page = host.ownerDocument;
  const home = page.defaultView;
  const view = home?.open('', '', 'popup,width=1040,height=760');
  if (!home || !view) return null;
  const place = page.createComment('vitrine-devtools');
  host.replaceWith(place);
  const { document } = view;
  document.title = title;
  document.documentElement.lang = 'en';
  document.documentElement.style.height = '100%';
  document.body.style.cssText = 'margin: 0; height: 100%';
  move(document.body, view);

  let isBack = false;
  const back = (): void => {
    if (isBack) return;
    isBack = true;
    home.removeEventListener('pagehide', back);
    clearInterval(watch);
    place.before(host);
    place.remove();
    move(null, home);
    view.close();
  };
  // Some browsers do not report every way of closing a window.
  const watch = setInterval(() => {
    if (view.closed) back();
  }, 500);
  view.addEventListener('pagehide', back);
  home.addEventListener('pagehide', back);
  return back;

  function move(into: HTMLElement | null, to: Window): void {
    into?.append(host);
    restyle();
    onWindow(to);
  }
}
