import { type ReactNode, useEffect, useRef } from 'react';
import type { AgentDevtoolsOptions, AgentDevtoolsPanelProps, MountedDevtools } from './options.ts';
import { mount } from './shell/mount.tsx';

/** The panel with its button, over the page. */
export function AgentDevtools(options: AgentDevtoolsOptions): ReactNode {
  useMounted(options, () => ({ element: document.body, placement: 'page' }));
  return null;
}

/** The panel alone, in the place where it is rendered. */
export function AgentDevtoolsPanel({ style, ...options }: AgentDevtoolsPanelProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  useMounted(options, () => (host.current ? { element: host.current, placement: 'element' } : null));
  return <div ref={host} style={{ height: 480, ...style }} />;
}

/** The panel for pages that are not made with React; returns the function that takes it away. */
export function mountAgentDevtools(
  element: HTMLElement,
  options: AgentDevtoolsOptions = {},
): MountedDevtools {
  return mount(element, options, 'page');
}

type Place = { readonly element: HTMLElement; readonly placement: 'page' | 'element' };

/** Mounts once, whatever the options become; they are handed on when one of them has changed. */
function useMounted(options: AgentDevtoolsOptions, place: () => Place | null): void {
  const mounted = useRef<MountedDevtools | null>(null);
  const latest = useRef({ options, place });
  useEffect(() => {
    const found = latest.current.place();
    if (found === null) return undefined;
    const unmount = mount(found.element, latest.current.options, found.placement);
    mounted.current = unmount;
    return () => {
      mounted.current = null;
      unmount();
    };
  }, []);
  useEffect(() => {
    const { options: before } = latest.current;
    latest.current = { options, place };
    if (differs(before, options)) mounted.current?.update(options);
  });
}

function differs(before: AgentDevtoolsOptions, after: AgentDevtoolsOptions): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof AgentDevtoolsOptions>;
  return [...names].some((name) => before[name] !== after[name]);
}
