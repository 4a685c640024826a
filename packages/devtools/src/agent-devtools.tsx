import { type ReactNode, useEffect, useRef } from 'react';
import type { AgentDevtoolsOptions, AgentDevtoolsPanelProps } from './options.ts';
import { mount } from './shell/mount.tsx';

/** The panel with its button, over the page. */
export function AgentDevtools(options: AgentDevtoolsOptions): ReactNode {
  const latest = useRef(options);
  useEffect(() => mount(document.body, latest.current, false), []);
  return null;
}

/** The panel alone, in the place where it is rendered. */
export function AgentDevtoolsPanel({ style, ...options }: AgentDevtoolsPanelProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(options);
  useEffect(() => (host.current ? mount(host.current, latest.current, true) : undefined), []);
  return <div ref={host} style={{ height: 480, ...style }} />;
}

/** The panel for pages that are not made with React; returns the function that takes it away. */
export function mountAgentDevtools(element: HTMLElement, options: AgentDevtoolsOptions = {}): () => void {
  return mount(element, options, false);
}
