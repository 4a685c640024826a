import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { PluginStateEntry, PluginStates } from '../../graph/types.ts';
import type { JsonValue } from '../../kit/json.ts';
import { type LoadedPlugins, loadPlugins } from './load-plugins.ts';
import { type Plugin } from './plugin.ts';
import { quarantineKey } from './plugin-entry.ts';
import { definePlugin } from '../../features/define-plugin.ts';

/** A build of the plugin: state of its version only, and its migrations. */
function build(version: number, migratesFrom: readonly number[] = []): Plugin {
  const migrate = Object.fromEntries(
    migratesFrom.map((from) => [from, (data: JsonValue) => ({ ...(data as object), v: from + 1 })]),
  );
  return definePlugin({
    id: 'p',
    version,
    state: z.object({ text: z.string(), v: z.literal(version) }),
    migrate,
  });
}

function visit(plugins: PluginStates, plugin: Plugin): { plugins: PluginStates; load: LoadedPlugins } {
  const load = loadPlugins({ plugins }, [plugin]);
  const next: Record<string, PluginStateEntry> = { ...plugins };
  for (const { pluginId, entry } of load.changes) {
    if (entry === null) delete next[pluginId];
    else next[pluginId] = entry;
  }
  return { plugins: next, load };
}

const write = (plugins: PluginStates, plugin: Plugin, text: string): PluginStates => ({
  ...plugins,
  p: {
    version: plugin.version,
    revision: (plugins['p']?.revision ?? 0) + 1,
    data: { text, v: plugin.version },
  },
});
const textOf = (entry: PluginStateEntry | undefined): string | undefined =>
  (entry?.data as { text: string } | undefined)?.text;
const texts = (plugins: PluginStates): string[] =>
  Object.values(plugins)
    .map((entry) => textOf(entry) ?? '')
    .sort();
const [v1, v2, v3] = [build(1), build(2, [1]), build(3, [1, 2])] as const;

describe('plugin state that is loaded', () => {
  it('loaded plugin state is kept when it fits, and migrated step by step when it is older', () => {
    const fits = write({}, v2, 'a');
    expect(loadPlugins({ plugins: fits }, [v2])).toEqual({ changes: [], errors: [] });
    expect(visit(write({}, v1, 'a'), v3).plugins['p']).toEqual({
      version: 3,
      revision: 2,
      data: { text: 'a', v: 3 },
    });
    expect(loadPlugins({ plugins: write({}, v1, 'a') }, []).changes).toEqual([]);
  });

  it('loaded plugin state is validated again when its version changes, with equal data too', () => {
    const anything = definePlugin({ id: 'p', version: 1, state: z.unknown() });
    const data = { text: 'a' };
    const load = (version: number): LoadedPlugins =>
      loadPlugins({ plugins: { p: { version, revision: 1, data } } }, [anything]);
    expect(load(1).errors).toEqual([]);
    expect(load(2).errors).toHaveLength(1);
  });

  it('loaded plugin state of a newer version is quarantined and reported, and returns with its plugin', () => {
    const stored = write({}, v2, 'new');
    const older = visit(stored, v1);
    expect(older.plugins).toEqual({ 'quarantine:p': stored['p'] });
    expect(older.load.errors).toMatchObject([{ code: 'plugin-state-invalid', data: { version: 2 } }]);
    expect(visit(older.plugins, v1).load).toEqual({ changes: [], errors: [] });
    expect(visit(older.plugins, v2).plugins).toEqual(stored);
  });

  it('loaded plugin state is restored for each version, however often versions alternate', () => {
    let plugins = write({}, v2, 'new');
    plugins = write(visit(plugins, v1).plugins, v1, 'old');
    for (let round = 0; round < 3; round++) {
      const newer = visit(plugins, v2);
      expect([textOf(newer.plugins['p']), texts(newer.plugins)]).toEqual(['new', ['new', 'old']]);
      expect(newer.load.errors).toMatchObject([{ code: 'plugin-state-conflict', data: { version: 1 } }]);
      plugins = visit(newer.plugins, v1).plugins;
      expect([textOf(plugins['p']), texts(plugins)]).toEqual(['old', ['new', 'old']]);
    }
  });

  it('quarantined state returns with a missing migration, and later writes are quarantined', () => {
    const stored = write({}, v1, 'first');
    const without = build(3);
    const gap = visit(stored, without);
    expect(gap.load.errors[0]?.message).toMatch(/no migration from 1/);
    const mended = visit(write(gap.plugins, without, 'meanwhile'), v3);
    expect(textOf(mended.plugins['p'])).toBe('first');
    expect(textOf(mended.plugins[quarantineKey('p', 2)])).toBe('meanwhile');
  });

  it('loaded plugin state is not damaged by a migration that fails half way', () => {
    const broken = definePlugin({
      id: 'p',
      version: 2,
      state: z.unknown(),
      migrate: {
        1(data) {
          (data as { text: string }).text = 'spoiled';
          throw new Error('half way');
        },
      },
    });
    const stored = write({}, v1, 'whole');
    expect(textOf(visit(stored, broken).plugins['quarantine:p'])).toBe('whole');
  });

  it('quarantined state of one plugin is not used for another', () => {
    const twin = definePlugin({ id: '2:p', version: 1, state: z.object({ text: z.string() }) });
    const plugins = { [quarantineKey('p', 2)]: { version: 1, revision: 1, data: { text: 'of p' } } };
    expect(loadPlugins({ plugins }, [twin]).changes).toEqual([]);
  });

  it('plugin state is never lost, whatever builds of a plugin load it in any order', () => {
    const builds = fc.record({ version: fc.integer({ min: 1, max: 4 }), from: fc.subarray([1, 2, 3]) });
    const visits = fc.array(fc.record({ build: builds, writes: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(visits, (sequence) => {
        let plugins: PluginStates = {};
        let expected: string[] = [];
        for (const [index, { build: made, writes }] of sequence.entries()) {
          const plugin = build(
            made.version,
            made.from.filter((from) => from < made.version),
          );
          plugins = visit(plugins, plugin).plugins;
          expect(texts(plugins)).toEqual(expected);
          // A second load changes nothing.
          expect(visit(plugins, plugin).load).toEqual({ changes: [], errors: [] });
          if (!writes) continue;
          // A build replaces only the state that it has read.
          const seen = textOf(plugins['p']);
          plugins = write(plugins, plugin, `text ${index}`);
          expected = [...expected.filter((text) => text !== seen), `text ${index}`].sort();
        }
        const all = visit(plugins, build(5, [1, 2, 3, 4])).plugins;
        expect(texts(all)).toEqual(expected);
        expect(textOf(all['p'])).toBe(oldestLine(plugins));
      }),
    );
  });
});

/**
 * The state for a build that reads every version: the entry of the lowest rank; the entry in use has the free rank.
 */
function oldestLine(plugins: PluginStates): string | undefined {
  if (quarantineKey('p') in plugins) return textOf(plugins[quarantineKey('p')]);
  return textOf(plugins['p'] ?? Object.values(plugins)[0]);
}
