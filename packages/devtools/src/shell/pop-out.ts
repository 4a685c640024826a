/** Where the host of the panel stands, and what has to be done when it moves to another document. */
export type Movable = {
  readonly host: HTMLElement;
  /** Styles of a document apply in no other one. */
  readonly restyle: () => void;
  /** The panel stands in another window now. */
  readonly onWindow: (view: Window) => void;
};

/**
 * Moves the panel into a window of its own, as it is; closing that window brings it back. Only from a gesture of a
 * person, as browsers want it. @returns The function that brings it back; null where the browser opened no window.
 */
export function popOut({ host, restyle, onWindow }: Movable): (() => void) | null {
  const page = host.ownerDocument;
  const home = page.defaultView;
  const view = home?.open('', '', 'popup,width=1040,height=760');
  if (!home || !view) return null;
  const place = page.createComment('vitrine-devtools');
  host.replaceWith(place);
  const { document } = view;
  document.title = 'Vitrine devtools';
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
  // Not every browser tells of every way in which a window is closed.
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
