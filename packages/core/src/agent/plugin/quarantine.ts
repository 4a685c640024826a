import type { PluginStateEntry, PluginStates } from '../../graph/types.ts';

/**
 * The key under which state is set aside. State of one plugin may be there several times, one for each version that
 * could not read what the one before it had: rank 1 is the oldest line, and returns first.
 */
export function quarantineKey(pluginId: string, rank = 1): string {
  return rank === 1 ? `quarantine:${pluginId}` : `vitrine:quarantine:${rank}:${pluginId}`;
}

/** A state of a plugin with its rank: where it stands when it is set aside. */
export type Line = { readonly rank: number; readonly entry: PluginStateEntry };

/** Everything that was set aside for a plugin. */
export function setAside(plugins: PluginStates, pluginId: string): Line[] {
  const suffix = `:${pluginId}`;
  return Object.entries(plugins).flatMap(([key, entry]) => {
    if (!key.endsWith(suffix)) return [];
    const rank = key === quarantineKey(pluginId) ? 1 : Number(key.split(':', 3)[2]);
    return Number.isInteger(rank) && key === quarantineKey(pluginId, rank) ? [{ rank, entry }] : [];
  });
}
