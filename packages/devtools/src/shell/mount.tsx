import { hearSources, type SourcesHeard } from '@vitrine/core/hear';
import { createRecorder, sanitizeWith } from '@vitrine/core/inspect';
import { lazy } from 'react';
import { createRoot } from 'react-dom/client';
import type { AgentDevtoolsOptions, MountedDevtools } from '../options.ts';
import { connectLater } from '../redux/connect-later.ts';
import { adoptStyles } from './adopt-styles.ts';
import { DevtoolsApp } from './devtools-app.tsx';
import { frameStyles } from './frame-styles.ts';
import { popOut } from './pop-out.ts';
import { keepOnTop } from './top-layer.ts';

/** Over a page, as a part of one, or as a page of its own for trace files. */
type Placement = 'page' | 'element' | 'viewer';

/**
 * Puts the panel into an element, in a shadow root and with a React root of its own: neither styles nor errors,
 * contexts or renders of the page and the panel reach each other. What the panel shows is loaded when it is opened.
 * @param heard What agents have done since the page began, for the record.
 */
export function mount(
  element: HTMLElement,
  given: AgentDevtoolsOptions,
  placement: Placement,
  heard: SourcesHeard = hearSources(),
): MountedDevtools {
  const isEmbedded = placement !== 'page';
  const host = element.ownerDocument.createElement('div');
  host.dataset['vitrineDevtools'] = isEmbedded ? 'embedded' : 'docked';
  const shadow = given.shadowDOMTarget ?? host.attachShadow({ mode: 'open' });
  const container = element.ownerDocument.createElement('div');
  container.className = 'root';
  shadow.append(container);
  element.append(host);
  const recorder = createRecorder({ heard });
  const letPass = given.sanitize ? sanitizeWith(given.sanitize) : () => undefined;
  const disconnect = given.reduxDevtools === true ? connectLater() : () => undefined;
  const root = createRoot(container);
  let options = given;
  let viewStyles = '';
  let removeStyles = restyled();
  let letGo = isEmbedded ? () => undefined : keepOnTop(host);
  let comeBack: (() => void) | null = null;
  let isOver = false;
  let view: Window | null = element.ownerDocument.defaultView;

  function restyled(): () => void {
    const styles = [frameStyles, viewStyles, ...(options.tabs ?? []).map((tab) => tab.styles)];
    return adoptStyles(shadow, styles.join('\n'), given.styleNonce);
  }
  function restyle(): void {
    removeStyles();
    removeStyles = restyled();
  }
  const LoadedPanel = lazy(async () => {
    const loaded = await import('./loaded-panel.ts');
    viewStyles = loaded.viewStyles;
    if (!isOver) restyle();
    return { default: loaded.Panel };
  });
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
    comeBack = popOut({ host, restyle, onWindow });
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
    recorder.dispose();
    letGo();
    removeStyles();
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
    const hasOtherTabs = next.tabs !== options.tabs;
    options = next;
    if (hasOtherTabs) restyle();
    render();
  };
  return Object.assign(unmount, { update });
}

function differs(before: AgentDevtoolsOptions, after: AgentDevtoolsOptions): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof AgentDevtoolsOptions>;
  return [...names].some((name) => before[name] !== after[name]);
}
