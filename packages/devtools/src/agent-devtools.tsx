import { bufferEvents } from '@vitrine/inspect/internal/events';
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { AgentDevtoolsOptions, MountedDevtools } from './options.ts';

/** Renders the panel and its button over the page. */
export function AgentDevtools(options: AgentDevtoolsOptions): ReactNode {
  useMounted(options);
  return null;
}

/** The options, and the style of the element that the panel fills; its default height is 480 pixels. */
type AgentDevtoolsPanelProps = AgentDevtoolsOptions & { readonly style?: CSSProperties };

/** Renders only the panel, in place. */
export function AgentDevtoolsPanel({ style, ...options }: AgentDevtoolsPanelProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  useMounted(options, host);
  return <div ref={host} style={{ height: 480, ...style }} />;
}

/** Mounts the panel on a page that does not use React; returns the function that removes it. */
export function mountAgentDevtools(
  element: HTMLElement,
  options: AgentDevtoolsOptions = {},
): MountedDevtools {
  return mountLater(element, options, 'page');
}

/** Mounts the panel once for all options: into the host, or over the page. */
function useMounted(options: AgentDevtoolsOptions, host?: RefObject<HTMLElement | null>): void {
  const mounted = useRef<MountedDevtools | null>(null);
  useEffect(() => {
    const unmount = mountLater(host?.current ?? document.body, {}, host ? 'element' : 'page');
    mounted.current = unmount;
    return unmount;
  }, [host]);
  // Runs after the effect above, so the panel has its options before its code is loaded.
  useEffect(() => mounted.current?.update(options));
}

/**
 * Mounts the panel as soon as its code is loaded, so that a page starts with little more than this. Events
 * of agents in the meantime are recorded.
 */
function mountLater(
  element: HTMLElement,
  options: AgentDevtoolsOptions,
  placement: 'page' | 'element',
): MountedDevtools {
  const buffer = bufferEvents();
  let latest = options;
  let mounted: MountedDevtools | undefined;
  let isOver = false;
  import('./shell/mount.tsx').then(
    ({ mount }) => {
      // The mounted panel takes over the recorded sources.
      if (!isOver) mounted = mount(element, latest, placement, buffer);
    },
    (thrown: unknown) => {
      buffer.end();
      reportError(thrown);
    },
  );
  return Object.assign(
    () => {
      isOver = true;
      if (mounted) mounted();
      else buffer.end();
    },
    {
      update(next: AgentDevtoolsOptions) {
        latest = next;
        mounted?.update(next);
      },
    },
  );
}
