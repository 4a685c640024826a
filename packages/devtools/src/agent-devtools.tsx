import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { mountLater } from './mount-later.ts';
import type { AgentDevtoolsOptions, AgentDevtoolsPanelProps, MountedDevtools } from './options.ts';

/** The panel with its button, over the page. */
export function AgentDevtools(options: AgentDevtoolsOptions): ReactNode {
  useMounted(options);
  return null;
}

/** The panel alone, in the place where it is rendered. */
export function AgentDevtoolsPanel({ style, ...options }: AgentDevtoolsPanelProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  useMounted(options, host);
  return <div ref={host} style={{ height: 480, ...style }} />;
}

/** The panel for pages that are not made with React; returns the function that takes it away. */
export function mountAgentDevtools(
  element: HTMLElement,
  options: AgentDevtoolsOptions = {},
): MountedDevtools {
  return mountLater(element, options, 'page');
}

/** Mounts once, whatever the options become: into the host, or over the page. */
function useMounted(options: AgentDevtoolsOptions, host?: RefObject<HTMLElement | null>): void {
  const mounted = useRef<MountedDevtools | null>(null);
  useEffect(() => {
    const unmount = mountLater(host?.current ?? document.body, {}, host ? 'element' : 'page');
    mounted.current = unmount;
    return unmount;
  }, [host]);
  // After the one above: it has its options before it is loaded.
  useEffect(() => mounted.current?.update(options));
}
