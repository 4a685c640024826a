import { createRecorder } from '@vitrine/core/inspect';
import { createRoot } from 'react-dom/client';
import type { AgentDevtoolsOptions, MountedDevtools } from '../options.ts';
import { connectLater } from '../redux/connect-later.ts';
import { adoptStyles } from './adopt-styles.ts';
import { DevtoolsApp } from './devtools-app.tsx';
import { panelStyles } from './panel-styles.ts';
import { popOut } from './pop-out.ts';
import { keepOnTop } from './top-layer.ts';

/** Over a page, as a part of one, or as a page of its own for trace files. */
type Placement = 'page' | 'element' | 'viewer';

/**
 * Puts the panel into an element, in a shadow root and with a React root of its own: neither styles nor errors,
 * contexts or renders of the page and the panel reach each other.
 */
export function mount(
  element: HTMLElement,
  given: AgentDevtoolsOptions,
  placement: Placement,
): MountedDevtools {
  const isEmbedded = placement !== 'page';
  const host = element.ownerDocument.createElement('div');
  host.dataset['vitrineDevtools'] = isEmbedded ? 'embedded' : 'docked';
  const shadow = given.shadowDOMTarget ?? host.attachShadow({ mode: 'open' });
  const container = element.ownerDocument.createElement('div');
  container.className = 'root';
  shadow.append(container);
  element.append(host);
  const recorder = createRecorder();
  const disconnect = given.reduxDevtools === true ? connectLater() : () => undefined;
  const root = createRoot(container);
  let options = given;
  let removeStyles = restyled();
  let letGo = isEmbedded ? () => undefined : keepOnTop(host);
  let comeBack: (() => void) | null = null;
  let view: Window | null = element.ownerDocument.defaultView;

  function restyled(): () => void {
    return adoptStyles(shadow, panelStyles(options.tabs), given.styleNonce);
  }
  function restyle(): void {
    removeStyles();
    removeStyles = restyled();
  }
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
    comeBack?.();
    disconnect();
    recorder.dispose();
    letGo();
    removeStyles();
    container.remove();
    host.remove();
    // A root must not be unmounted while another one renders.
    queueMicrotask(() => root.unmount());
  };
  const update = (next: AgentDevtoolsOptions): void => {
    const hasOtherTabs = next.tabs !== options.tabs;
    options = next;
    if (hasOtherTabs) restyle();
    render();
  };
  return Object.assign(unmount, { update });
}
