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

// Every function asks for itself: bundlers then drop the import, and with it the whole panel, from production builds.

/** The panel with its button, over the page. Renders nothing in production; see `@vitrine/devtools/production`. */
export function AgentDevtools(options: AgentDevtoolsOptions): ReactNode {
  const latest = useRef(options);
  useEffect(() => {
    if (process.env.NODE_ENV === 'production') return undefined;
    return mountAgentDevtools(document.body, latest.current);
  }, []);
  return null;
}

/** The panel alone, where it is put. Renders nothing in production. */
export function AgentDevtoolsPanel({ style, ...options }: AgentDevtoolsPanelProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(options);
  useEffect(() => {
    if (process.env.NODE_ENV === 'production' || !host.current) return undefined;
    return mountLater(host.current, latest.current, true);
  }, []);
  if (process.env.NODE_ENV === 'production') return null;
  return createElement('div', { ref: host, style: { height: 480, ...style } });
}

/** The panel for pages without React; returns the function that takes it away. Does nothing in production. */
export function mountAgentDevtools(element: HTMLElement, options: AgentDevtoolsOptions = {}): () => void {
  if (process.env.NODE_ENV === 'production') return () => undefined;
  return mountLater(element, options, false);
}

function mountLater(element: HTMLElement, options: AgentDevtoolsOptions, isEmbedded: boolean): () => void {
  if (process.env.NODE_ENV === 'production') return () => undefined;
  let unmount: (() => void) | null = null;
  let isGone = false;
  void import('./mount.tsx').then(({ mount }) => {
    if (!isGone) unmount = mount(element, options, isEmbedded);
  });
  return () => {
    isGone = true;
    unmount?.();
  };
}
