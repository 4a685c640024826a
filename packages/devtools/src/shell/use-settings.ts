import { useEffect, useState } from 'react';
import type { AgentDevtoolsOptions } from '../options.ts';
import { changed, readSettings, type Settings, type SettingsChange, writeSettings } from './settings.ts';

/** What the panel remembers, with the function that changes it. A side that the page names anew is taken up. */
export function useSettings({
  initialIsOpen = false,
  position = 'bottom',
}: AgentDevtoolsOptions): readonly [Settings, (change: SettingsChange) => void] {
  const [settings, setSettings] = useState(() => readSettings({ isOpen: initialIsOpen, position }));
  const [named, setNamed] = useState(position);
  if (named !== position) {
    // Set while rendering, so that it is never drawn at the other side.
    setNamed(position);
    setSettings((current) => changed(current, { position }));
  }
  useEffect(() => writeSettings(settings), [settings]);
  return [settings, (change) => setSettings((current) => changed(current, change))];
}
