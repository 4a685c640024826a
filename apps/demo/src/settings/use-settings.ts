import { useSyncExternalStore } from 'react';
import { keep } from '../kit/kept.ts';
import { readSettings, type Settings, settingsKey } from './settings.ts';

let current = readSettings();
const listeners = new Set<() => void>();

/** Changes settings, notifies the page and saves them. */
export function changeSettings(change: Partial<Settings>): void {
  take({ ...current, ...change });
  keep(settingsKey, current);
}

/** Returns the settings; follows changes in other tabs. */
export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, () => current);
}

function take(settings: Settings): void {
  current = settings;
  document.documentElement.dataset['theme'] = settings.theme;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('storage', onStorage);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', onStorage);
  };
}

function onStorage({ key }: StorageEvent): void {
  if (key === null || key === settingsKey) take(readSettings());
}
