import { hearSources } from '@vitrine/core/hear';
import type { AgentDevtoolsOptions, MountedDevtools } from './options.ts';

/**
 * Mounts the panel as soon as its code is loaded, so that a page begins with little more than this. What agents do in
 * the meantime is heard already, and stands in the record.
 */
export function mountLater(
  element: HTMLElement,
  options: AgentDevtoolsOptions,
  placement: 'page' | 'element',
): MountedDevtools {
  const heard = hearSources();
  let latest = options;
  let mounted: MountedDevtools | undefined;
  let isOver = false;
  import('./shell/mount.tsx').then(
    ({ mount }) => {
      // What was heard is the panel's from now on.
      if (!isOver) mounted = mount(element, latest, placement, heard);
    },
    (thrown: unknown) => {
      heard.end();
      reportError(thrown);
    },
  );
  return Object.assign(
    () => {
      isOver = true;
      if (mounted) mounted();
      else heard.end();
    },
    {
      update(next: AgentDevtoolsOptions) {
        latest = next;
        mounted?.update(next);
      },
    },
  );
}
