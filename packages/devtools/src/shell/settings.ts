import type { DockPosition } from '../options.ts';

/** What the panel remembers between visits. */
export type Settings = {
  readonly isOpen: boolean;
  readonly position: DockPosition;
  /** Width or height of the panel in pixels. */
  readonly size: number;
  readonly tab: string;
};

const key = 'vitrine-devtools:v1';

/** The panel is never smaller than this, nor larger than what leaves `pageRoom` to the page. */
export const minSize = 240;
export const pageRoom = 80;

export function readSettings(defaults: Settings): Settings {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Record<keyof Settings, unknown>>;
    return {
      isOpen: typeof stored.isOpen === 'boolean' ? stored.isOpen : defaults.isOpen,
      position: isPosition(stored.position) ? stored.position : defaults.position,
      size: typeof stored.size === 'number' ? Math.max(minSize, stored.size) : defaults.size,
      tab: typeof stored.tab === 'string' ? stored.tab : defaults.tab,
    };
  } catch {
    return defaults;
  }
}

export function writeSettings(settings: Settings): void {
  try {
    localStorage.setItem(key, JSON.stringify(settings));
  } catch {
    // Blocked or full: then it is not remembered.
  }
}

function isPosition(value: unknown): value is DockPosition {
  return value === 'top' || value === 'bottom' || value === 'left' || value === 'right';
}
