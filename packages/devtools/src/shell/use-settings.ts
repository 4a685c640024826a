import { useEffect, useState } from 'react';
import type { AgentDevtoolsOptions, DockPosition } from '../options.ts';

/**
 * Returns the remembered settings and the function that changes them. A new `position` option overrides the
 * remembered side.
 */
export function useSettings({
  initialIsOpen = false,
  position = 'bottom',
}: AgentDevtoolsOptions): readonly [Settings, (change: SettingsChange) => void] {
  const [settings, setSettings] = useState(() => readSettings({ isOpen: initialIsOpen, position }));
  const [named, setNamed] = useState(position);
  if (named !== position) {
    // Set while rendering, so that the panel is never drawn at the old side.
    setNamed(position);
    setSettings((current) => changeSettings(current, { position }));
  }
  useEffect(() => writeSettings(settings), [settings]);
  return [settings, (change) => setSettings((current) => changeSettings(current, change))];
}

/** The settings that the panel remembers between visits. */
export type Settings = {
  readonly isOpen: boolean;
  readonly position: DockPosition;
  /** The size in pixels when docked to the left or right (width), and to the top or bottom (height). */
  readonly width: number;
  readonly height: number;
  readonly tab: string;
  /** True if times are shown from the start of the run instead of by the clock. */
  readonly isRelative: boolean;
};

/** A change of settings; `size` applies to the axis of the dock side. */
type SettingsChange = Partial<Pick<Settings, 'isOpen' | 'position' | 'tab' | 'isRelative'>> & {
  readonly size?: number;
};

const key = 'vitrine-devtools:v2';

/** Minimum size of the panel. `pageRoom` is the minimum that remains for the page. */
export const minSize = 240;
export const pageRoom = 80;

/** The size on the axis of the dock side. */
export function sizeOf(settings: Settings): number {
  return settings[axisOf(settings.position)];
}

function changeSettings(settings: Settings, { size, ...change }: SettingsChange): Settings {
  const next = { ...settings, ...change };
  return size === undefined ? next : { ...next, [axisOf(next.position)]: size };
}

function axisOf(position: DockPosition): 'width' | 'height' {
  return position === 'left' || position === 'right' ? 'width' : 'height';
}

/** Returns the remembered settings, with defaults for the rest. */
function readSettings(first: Pick<Settings, 'isOpen' | 'position'>): Settings {
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

function writeSettings(settings: Settings): void {
  try {
    localStorage.setItem(key, JSON.stringify(settings));
  } catch {
    // Storage is blocked or full, so the settings are not remembered.
  }
}

function isPosition(value: unknown): value is DockPosition {
  return value === 'top' || value === 'bottom' || value === 'left' || value === 'right';
}
