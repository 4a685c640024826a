import { createRecorder, type Recorder, sanitizeWith } from '@vitrine/inspect';
import { bufferEvents, type EventBuffer } from '@vitrine/inspect/internal/events';
import type { ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { later } from '../kit/later.tsx';
import { whenLoaded } from '../kit/when-loaded.ts';
import type { AgentDevtoolsOptions, MountedDevtools } from '../options.ts';
import { textsWith } from '../texts.ts';
import { DevtoolsApp } from './devtools-app.tsx';
import { frameStyles } from './frame-styles.ts';
import type { PanelProps } from './panel.tsx';
import { popOut } from './pop-out.ts';

/** Over a page, inside an element, or as a page of its own for trace files. */
type Placement = 'page' | 'element' | 'viewer';

/**
 * Mounts the panel into a shadow root with its own React root. Styles, errors, contexts and renders of the
 * page and the panel stay separate. The content of the panel is loaded when it is first opened.
 * @param buffer Events of agents since the page began, for the record.
 */
export function mount(
  element: HTMLElement,
  given: AgentDevtoolsOptions,
  placement: Placement,
  buffer: EventBuffer = bufferEvents(),
): MountedDevtools {
  const isEmbedded = placement !== 'page';
  const host = element.ownerDocument.createElement('div');
  host.dataset['vitrineDevtools'] = isEmbedded ? 'embedded' : 'docked';
  const shadow = given.shadowDOMTarget ?? host.attachShadow({ mode: 'open' });
  const container = element.ownerDocument.createElement('div');
  container.className = 'root';
  shadow.append(container);
  element.append(host);
  const recorder = takeRecorder(buffer);
  const letPass = given.sanitize ? sanitizeWith(given.sanitize) : () => undefined;
  const disconnect = connectOthers(given, recorder);
  const root = createRoot(container, quietly);
  const styles = stylePanel(shadow, given);
  const LoadedPanel = laterPanel(styles);
  let options = given;
  let letGo = isEmbedded ? () => undefined : keepOnTop(host);
  let comeBack: (() => void) | null = null;
  let isOver = false;
  let view: Window | null = element.ownerDocument.defaultView;

  function onWindow(next: Window): void {
    view = next;
    const isOut = next !== element.ownerDocument.defaultView;
    if (!isOut) comeBack = null;
    host.dataset['vitrineDevtools'] = isOut ? 'window' : isEmbedded ? 'embedded' : 'docked';
    if (!isOut && !isEmbedded) letGo = keepOnTop(host);
    render();
  }
  function leave(): boolean {
    letGo();
    letGo = () => undefined;
    comeBack = popOut({ host, title: titleOf(options), restyle: styles.restyle, onWindow });
    if (comeBack === null && !isEmbedded) letGo = keepOnTop(host);
    return comeBack !== null;
  }
  function render(): void {
    root.render(
      <DevtoolsApp
        options={options}
        recorder={recorder}
        LoadedPanel={LoadedPanel}
        isEmbedded={isEmbedded}
        isViewer={placement === 'viewer'}
        view={view}
        onPopOut={leave}
        onPopIn={() => comeBack?.()}
      />,
    );
  }

  render();
  const unmount = (): void => {
    isOver = true;
    comeBack?.();
    disconnect();
    leaveRecorder(recorder);
    letGo();
    styles.remove();
    container.remove();
    host.remove();
    // A root must not be unmounted while another one renders.
    queueMicrotask(() => {
      root.unmount();
      letPass();
    });
  };
  const update = (next: AgentDevtoolsOptions): void => {
    if (isOver || !differs(options, next)) return;
    options = next;
    styles.update(next.tabs);
    render();
  };
  return Object.assign(unmount, { update });
}

/**
 * Takes back the zoom of the page around an element, which reaches it also in the top layer. A window of its own has
 * none.
 */
function undoZoom(host: HTMLElement): void {
  const around = host.parentElement as { readonly currentCSSZoom?: number } | null;
  host.style.setProperty('--undo-zoom', String(1 / (around?.currentCSSZoom || 1)));
}

/** React would otherwise report an error that it recovered from as an error of the page. */
const quietly = { onRecoverableError: () => undefined };

/** The content of the panel, loaded with its styles when it is first shown. */
function laterPanel(styles: PanelStyles): ComponentType<PanelProps> {
  return later(async () => {
    const loaded = await import('./loaded-panel.ts');
    styles.addViews(loaded.viewStyles);
    return loaded.Panel;
  }, 'loading');
}

function titleOf({ texts }: AgentDevtoolsOptions): string {
  return textsWith(texts).shell.panel;
}

function differs(before: AgentDevtoolsOptions, after: AgentDevtoolsOptions): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof AgentDevtoolsOptions>;
  return [...names].some((name) => before[name] !== after[name]);
}

/** Time in milliseconds for which a record waits for the panel to return. */
const patience = 2000;

let kept: { readonly recorder: Recorder; readonly timer: ReturnType<typeof setTimeout> } | null = null;

/**
 * Returns the recorder of a panel that was just unmounted, otherwise a new one. A hot reload unmounts and
 * remounts the panel and must not lose the record.
 */
function takeRecorder(buffer: EventBuffer): Recorder {
  if (kept === null) return createRecorder({ buffer });
  const { recorder, timer } = kept;
  clearTimeout(timer);
  kept = null;
  // The kept recorder has the same events.
  buffer.end();
  return recorder;
}

/** Disposes of a recorder, unless a panel takes it within two seconds. */
function leaveRecorder(recorder: Recorder): void {
  if (kept !== null) {
    clearTimeout(kept.timer);
    kept.recorder.dispose();
  }
  const timer = setTimeout(() => {
    kept = null;
    recorder.dispose();
  }, patience);
  kept = { recorder, timer };
}

/**
 * Keeps an element above everything on the page by the top layer, also above dialogs that open later. A
 * modal dialog makes the panel inert: it can be read but not used.
 * @returns The function that removes it from the top layer.
 */
function keepOnTop(host: HTMLElement): () => void {
  const page = host.ownerDocument;
  const { MutationObserver: Observer } = page.defaultView ?? globalThis;
  undoZoom(host);
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

function connectOthers(given: AgentDevtoolsOptions, recorder: Recorder): () => void {
  const connectRedux = async (): Promise<() => () => void> => {
    const { connectReduxDevtools } = await import('../redux/connect-redux-devtools.ts');
    return () => connectReduxDevtools(textsWith(given.texts).redux);
  };
  const connectAgents = async (): Promise<() => () => void> => {
    const { offerQuestions } = await import('./web-mcp.ts');
    return () => offerQuestions(recorder);
  };
  const wanted = [given.reduxDevtools === true && connectRedux, given.webMcp === true && connectAgents];
  const ends = wanted.flatMap((load) => (load === false ? [] : [whenLoaded(load)]));
  return () => ends.forEach((end) => end());
}

/** The styles of a panel in its shadow root. */
type PanelStyles = {
  /** Adds the styles of the views after they are loaded. */
  readonly addViews: (styles: string) => void;
  readonly update: (tabs: AgentDevtoolsOptions['tabs']) => void;
  /** Applies the styles again, because a constructed stylesheet works only in its own document. */
  readonly restyle: () => void;
  readonly remove: () => void;
};

/** Applies the styles of the frame, and later those of the views. */
function stylePanel(shadow: ShadowRoot, { tabs: first, styleNonce }: AgentDevtoolsOptions): PanelStyles {
  let tabs = first;
  let viewStyles = '';
  let isOver = false;
  let removeStyles = adoptAll();

  function adoptAll(): () => void {
    const styles = [frameStyles, viewStyles, ...(tabs ?? []).map((tab) => tab.styles)];
    return adoptStyles(shadow, styles.join('\n'), styleNonce);
  }
  function restyle(): void {
    if (isOver) return;
    removeStyles();
    removeStyles = adoptAll();
  }
  return {
    addViews(styles) {
      viewStyles = styles;
      restyle();
    },
    update(next) {
      if (next === tabs) return;
      tabs = next;
      restyle();
    },
    restyle,
    remove() {
      isOver = true;
      removeStyles();
    },
  };
}

/**
 * Adds styles to the shadow root: as a constructed stylesheet of its window, which needs no nonce,
 * otherwise as an element. Returns the function that removes them.
 */
function adoptStyles(root: ShadowRoot, css: string, nonce: string | undefined): () => void {
  const view = root.ownerDocument.defaultView;
  try {
    const sheet = new (view ?? globalThis).CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return () => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  } catch {
    const style = root.ownerDocument.createElement('style');
    if (nonce !== undefined) style.nonce = nonce;
    style.textContent = css;
    root.append(style);
    return () => style.remove();
  }
}
