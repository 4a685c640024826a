import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { create } from '../../graph/agent-state/create.ts';
import type { AgentState } from '../../graph/types.ts';
import * as PluginState from './plugin-state.ts';
import { definePlugin } from '../../features/define-plugin.ts';

const list = definePlugin({ id: 'list', state: z.array(z.string()), initial: [] });

describe('the state of a plugin', () => {
  it('plugin state accepts 0, false, null and the empty text as values', () => {
    const plugin = definePlugin({
      id: 'p',
      state: z.union([z.number(), z.boolean(), z.string(), z.null()]),
      initial: 'unset',
    });
    for (const value of [0, false, '', null]) {
      expect(PluginState.get(PluginState.set(create(), plugin, value), plugin)).toBe(value);
    }
  });

  it.each([['list'], [undefined], [null], [{ id: 'list' }]])(
    'plugin state is read and written with its plugin only, not with %j',
    (given) => {
      const error = expect.objectContaining({
        code: 'plugin-unknown',
        message: expect.stringContaining('definePlugin'),
      });
      expect(() => PluginState.set(create(), given as never, ['a'])).toThrow(error);
      expect(() => PluginState.get(create(), given as never)).toThrow(error);
    },
  );

  it('plugin state keeps its reference until it changes, and its revision rises with real changes only', () => {
    const first = PluginState.set(create(), list, ['a']);
    expect(PluginState.get(first, list)).toBe(PluginState.get(first, list));
    expect(PluginState.get(create(), list)).toBe(PluginState.get(create(), list));
    expect(PluginState.set(first, list, ['a'])).toBe(first);
    const second = PluginState.set(first, list, ['b']);
    expect([PluginState.revision(first, list), PluginState.revision(second, list)]).toEqual([1, 2]);
    expect(PluginState.get(first, list)).toEqual(['a']);
  });

  it('plugin state is written again by another version of its plugin, with equal data too', () => {
    const old = PluginState.set(create(), list, ['a']);
    const next = PluginState.set(old, definePlugin({ id: 'list', version: 2, state: z.array(z.string()) }), [
      'a',
    ]);
    expect(next.plugins['list']).toEqual({ version: 2, revision: 2, data: ['a'] });
  });

  it('plugin state shares nothing with its input, and readers cannot change it', () => {
    const anything = definePlugin({ id: 'any', state: z.unknown(), initial: { list: ['start'] } });
    const own = { list: ['a'] };
    const state = PluginState.set(create(), anything, own);
    own.list.push('later');
    expect(PluginState.get(state, anything)).toEqual({ list: ['a'] });
    for (const read of [PluginState.get(state, anything), PluginState.get(create(), anything)]) {
      expect(() => (read as typeof own).list.push('by a reader')).toThrow(TypeError);
    }
    // A state that was read from storage was never written in this process.
    const loaded = JSON.parse(JSON.stringify(state)) as AgentState;
    expect(() => (PluginState.get(loaded, anything) as typeof own).list.push('x')).toThrow(TypeError);
  });

  it('the initial value of plugin state is not shared between sessions', () => {
    const initial = { count: 0 };
    const counter = definePlugin({ id: 'c', state: z.object({ count: z.number() }), initial });
    expect(PluginState.get(create(), counter)).toEqual({ count: 0 });
    initial.count = 5;
    expect(PluginState.get(create(), counter)).toEqual({ count: 0 });
  });

  it('plugin state rejects values that JSON cannot hold, and names their path', () => {
    const dates = definePlugin({ id: 'd', state: z.object({ list: z.array(z.object({ at: z.any() })) }) });
    for (const at of [new Date(), NaN, 1n, new Map(), () => 1]) {
      expect(() => PluginState.set(create(), dates, { list: [{ at: 1 }, { at }] })).toThrow(
        /"d" is invalid: list\.1\.at is not JSON/,
      );
    }
    expect(() => PluginState.set(create(), list, [1] as never)).toThrow(
      expect.objectContaining({ code: 'plugin-state-invalid' }),
    );
    const loop: unknown[] = [];
    loop.push(loop);
    const anything = definePlugin({ id: 'any', state: z.unknown() });
    expect(() => PluginState.set(create(), anything, loop)).toThrow(/is not JSON/);
  });

  it('plugin state leaves out undefined values, and keeps fields of any name', () => {
    const anything = definePlugin({ id: 'any', state: z.unknown() });
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object;
    const state = PluginState.set(create(), anything, {
      ...value,
      ['__proto__']: { a: 1 },
      gone: undefined,
      zero: -0,
    });
    const data = PluginState.get(state, anything) as object;
    expect(JSON.stringify(data)).toBe('{"__proto__":{"a":1},"constructor":2,"zero":0}');
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });

  it('plugin state rejects schemas that cannot read their own output', () => {
    const changing = definePlugin({ id: 'c', state: z.number().transform((n) => n + 1) });
    expect(() => PluginState.set(create(), changing, 1)).toThrow(/could not be loaded/);
  });

  it('reset removes plugin state and its quarantined versions', () => {
    const state = PluginState.set(create(), list, ['a']);
    const plugins = {
      ...state.plugins,
      'quarantine:list': state.plugins['list']!,
      other: state.plugins['list']!,
    };
    expect(Object.keys(PluginState.reset({ ...state, plugins }, list).plugins)).toEqual(['other']);
    expect(PluginState.reset(create(), { id: 'constructor' }).plugins).toEqual({});
    const empty = create();
    expect(PluginState.reset(empty, list)).toBe(empty);
  });
});
