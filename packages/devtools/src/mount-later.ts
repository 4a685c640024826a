import { bufferEvents } from '@vitrine/core/events';
import type { AgentDevtoolsOptions, MountedDevtools } from './options.ts';

/**
 * Mounts the panel as soon as its code is loaded, so that a page starts with little more than this. Events
 * of agents in the meantime are recorded.
 */
export function mountLater(
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
