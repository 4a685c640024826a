import { createRecorder } from '@vitrine/core/inspect';
import { createRoot } from 'react-dom/client';
import type { AgentDevtoolsOptions } from '../options.ts';
import { adoptStyles } from './adopt-styles.ts';
import { DevtoolsApp } from './devtools-app.tsx';
import { panelStyles } from './panel-styles.ts';

/**
 * Puts the panel into an element, in a shadow root and with a React root of its own: neither styles nor errors,
 * contexts or renders of the page and the panel reach each other.
 */
export function mount(element: HTMLElement, options: AgentDevtoolsOptions, isEmbedded: boolean): () => void {
  const host = element.ownerDocument.createElement('div');
  host.dataset['vitrineDevtools'] = isEmbedded ? 'embedded' : 'docked';
  const shadow = options.shadowDOMTarget ?? host.attachShadow({ mode: 'open' });
  const removeStyles = adoptStyles(shadow, panelStyles, options.styleNonce);
  const container = element.ownerDocument.createElement('div');
  container.className = 'root';
  shadow.append(container);
  element.append(host);
  const recorder = createRecorder();
  const root = createRoot(container);
  root.render(<DevtoolsApp options={options} recorder={recorder} isEmbedded={isEmbedded} />);
  return () => {
    recorder.dispose();
    removeStyles();
    container.remove();
    host.remove();
    // A root must not be unmounted while another one renders.
    queueMicrotask(() => root.unmount());
  };
}
