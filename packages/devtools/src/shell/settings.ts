import type { DockPosition } from '../options.ts';

/** What the panel remembers between visits. */
export type Settings = {
  readonly isOpen: boolean;
  readonly position: DockPosition;
  /** The size of the panel at the sides of the page, and above or below it, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly tab: string;
  /** Moments are told from the start of the run, not by the clock. */
  readonly isRelative: boolean;
};

/** `size` is that on the axis on which the panel stands. */
export type SettingsChange = Partial<Pick<Settings, 'isOpen' | 'position' | 'tab' | 'isRelative'>> & {
  readonly size?: number;
};

const key = 'vitrine-devtools:v2';

/** The panel is never smaller than this, nor larger than what leaves `pageRoom` to the page. */
export const minSize = 240;
export const pageRoom = 80;

/** The size on the axis on which the panel stands. */
export function sizeOf(settings: Settings): number {
  return settings[axisOf(settings.position)];
}

/** Settings after a change. */
export function changed(settings: Settings, { size, ...change }: SettingsChange): Settings {
  const next = { ...settings, ...change };
  return size === undefined ? next : { ...next, [axisOf(next.position)]: size };
}

function axisOf(position: DockPosition): 'width' | 'height' {
  return position === 'left' || position === 'right' ? 'width' : 'height';
}

/** What was remembered, and for the rest how the panel begins. */
export function readSettings(first: Pick<Settings, 'isOpen' | 'position'>): Settings {
  const defaults: Settings = { ...first, width: 460, height: 420, tab: 'run', isRelative: false };
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Record<keyof Settings, unknown>>;
    const size = (name: 'width' | 'height'): number => {
      const value = stored[name];
      return typeof value === 'number' ? Math.max(minSize, value) : defaults[name];
    };
    return {
      isOpen: typeof stored.isOpen === 'boolean' ? stored.isOpen : defaults.isOpen,
      position: isPosition(stored.position) ? stored.position : defaults.position,
      width: size('width'),
      height: size('height'),
      tab: typeof stored.tab === 'string' ? stored.tab : defaults.tab,
      isRelative: stored.isRelative === true,
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
