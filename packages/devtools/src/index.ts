import { createElement, type ReactNode, useEffect, useRef } from 'react';
import type { AgentDevtoolsOptions, AgentDevtoolsPanelProps } from './options.ts';

export type {
  AgentDevtoolsOptions,
  AgentDevtoolsPanelProps,
  ButtonPosition,
  DevtoolsTheme,
  DockPosition,
} from './options.ts';

declare const process: { env: { NODE_ENV?: string } };

/** The panel with its button, over the page. Renders nothing in production; see `@vitrine/devtools/production`. */
export function AgentDevtools(options: AgentDevtoolsOptions): ReactNode {
  const latest = useRef(options);
  useEffect(() => mountAgentDevtools(document.body, latest.current), []);
  return null;
}

/** The panel alone, where it is put. Renders nothing in production. */
export function AgentDevtoolsPanel({ style, ...options }: AgentDevtoolsPanelProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(options);
  useEffect(() => (host.current ? mountLater(host.current, latest.current, true) : undefined), []);
  if (process.env.NODE_ENV === 'production') return null;
  return createElement('div', { ref: host, style: { height: 480, ...style } });
}

/** The panel for pages without React; returns the function that takes it away. Does nothing in production. */
export function mountAgentDevtools(element: HTMLElement, options: AgentDevtoolsOptions = {}): () => void {
  return mountLater(element, options, false);
}

function mountLater(element: HTMLElement, options: AgentDevtoolsOptions, isEmbedded: boolean): () => void {
  let unmount: (() => void) | null = null;
  let isGone = false;
  // Bundlers drop a branch that is never taken, and the import in it; code after an early return they keep.
  if (process.env.NODE_ENV !== 'production') {
    void import('./shell/mount.tsx').then(({ mount }) => {
      if (!isGone) unmount = mount(element, options, isEmbedded);
    });
  }
  return () => {
    isGone = true;
    unmount?.();
  };
}
