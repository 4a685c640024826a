import { useEffect, useState } from 'react';
import type { AgentDevtoolsOptions } from '../options.ts';
import { changed, readSettings, type Settings, type SettingsChange, writeSettings } from './settings.ts';

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
    setSettings((current) => changed(current, { position }));
  }
  useEffect(() => writeSettings(settings), [settings]);
  return [settings, (change) => setSettings((current) => changed(current, change))];
}
