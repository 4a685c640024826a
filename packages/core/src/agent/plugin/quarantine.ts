import type { PluginStateEntry, PluginStates } from '../../graph/types.ts';

/**
 * The key of quarantined state. A plugin may have several entries, one for each version that could not read its
 * predecessor's state. Rank 1 is the oldest and returns first.
 */
export function quarantineKey(pluginId: string, rank = 1): string {
  return rank === 1 ? `quarantine:${pluginId}` : `vitrine:quarantine:${rank}:${pluginId}`;
}

/** A state of a plugin, and its rank in the quarantine. */
export type Line = { readonly rank: number; readonly entry: PluginStateEntry };

/** All quarantined states of a plugin. */
export function setAside(plugins: PluginStates, pluginId: string): Line[] {
  const suffix = `:${pluginId}`;
  return Object.entries(plugins).flatMap(([key, entry]) => {
    if (!key.endsWith(suffix)) return [];
    const rank = key === quarantineKey(pluginId) ? 1 : Number(key.split(':', 3)[2]);
    return Number.isInteger(rank) && key === quarantineKey(pluginId, rank) ? [{ rank, entry }] : [];
  });
}
