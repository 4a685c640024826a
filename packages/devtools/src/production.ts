import { createElement, type ReactNode, useEffect, useRef } from 'react';
import { mount } from './shell/mount.tsx';
import type { AgentDevtoolsOptions, AgentDevtoolsPanelProps } from './options.ts';

export type {
  AgentDevtoolsOptions,
  AgentDevtoolsPanelProps,
  ButtonPosition,
  DevtoolsTheme,
  DockPosition,
} from './options.ts';

/** Like `AgentDevtools` of the main entry, in production builds too. */
export function AgentDevtools(options: AgentDevtoolsOptions): ReactNode {
  const latest = useRef(options);
  useEffect(() => mount(document.body, latest.current, false), []);
  return null;
}

/** Like `AgentDevtoolsPanel` of the main entry, in production builds too. */
export function AgentDevtoolsPanel({ style, ...options }: AgentDevtoolsPanelProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(options);
  useEffect(() => (host.current ? mount(host.current, latest.current, true) : undefined), []);
  return createElement('div', { ref: host, style: { height: 480, ...style } });
}

/** Like `mountAgentDevtools` of the main entry, in production builds too. */
export function mountAgentDevtools(element: HTMLElement, options: AgentDevtoolsOptions = {}): () => void {
  return mount(element, options, false);
}
