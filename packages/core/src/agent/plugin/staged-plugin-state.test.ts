import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AgentStopError } from '../../graph/agent-stop-error.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import { create } from '../../graph/agent-state/create.ts';
import type { AgentState } from '../../graph/types.ts';
import * as PluginState from './plugin-state.ts';
import { stagePluginState } from './staged-plugin-state.ts';
import { definePlugin } from '../../features/define-plugin.ts';

const list = definePlugin({ id: 'list', version: 2, state: z.array(z.string()), initial: [] });
const other = definePlugin({ id: 'other', state: z.number(), initial: 0 });
const add =
  (text: string) =>
  (all: string[] = []) => [...all, text];
const base = PluginState.set(create(), list, ['base']);

describe('the staged writes of a call', () => {
  it('staged writes are data, and change no state', () => {
    const staged = stagePluginState(base);
    staged.handle(list).set(['a']);
    expect(staged.settle(base)).toEqual({
      writes: [{ pluginId: 'list', version: 2, fromRevision: 1, data: ['a'] }],
      errors: [],
    });
    expect(PluginState.get(base, list)).toEqual(['base']);
  });

  it('staged writes are visible to the call itself at once', () => {
    const handle = stagePluginState(base).handle(list);
    expect(handle.update(add('a'))).toBeUndefined();
    expect(handle.get()).toEqual(['base', 'a']);
    handle.set(['b']);
    handle.update(add('c'));
    expect(handle.get()).toEqual(['b', 'c']);
  });

  it('staged writes copy the value at the time of the write', () => {
    const staged = stagePluginState(base);
    const mine = ['a'];
    staged.handle(list).set(mine);
    mine.push('later');
    expect(staged.settle(base).writes[0]?.data).toEqual(['a']);
    expect(() => (staged.handle(list).get() as string[]).push('direct')).toThrow(TypeError);
  });

  it('an update is called once when no other call has written', () => {
    const staged = stagePluginState(base);
    let asked = 0;
    staged.handle(list).update((all = []) => [...all, `${++asked}`]);
    expect(staged.settle(base).writes[0]?.data).toEqual(['base', '1']);
    expect(asked).toBe(1);
  });

  it('updates are applied to the writes of other calls', () => {
    const staged = stagePluginState(base);
    staged.handle(list).update(add('a'));
    staged.handle(list).update(add('b'));
    const now = PluginState.set(base, list, ['base', 'theirs']);
    expect(staged.settle(now).writes).toEqual([
      { pluginId: 'list', version: 2, fromRevision: 2, data: ['base', 'theirs', 'a', 'b'] },
    ]);
  });

  it('a lost set is reported as a conflict, and the other writes are kept', () => {
    const staged = stagePluginState(base);
    staged.handle(list).set(['mine']);
    staged.handle(other).set(5);
    const now = PluginState.set(base, list, ['theirs']);
    const { writes, errors } = staged.settle(now);
    expect(writes.map(({ pluginId, data }) => [pluginId, data])).toEqual([['other', 5]]);
    expect(errors).toMatchObject([
      { code: 'plugin-state-conflict', data: { pluginId: 'list', baseRevision: 1, revision: 2 } },
    ]);
    const same = stagePluginState(base);
    same.handle(list).set(['theirs']);
    expect(same.settle(now)).toEqual({ writes: [], errors: [] });
  });

  it('a write that changes nothing is left out', () => {
    const staged = stagePluginState(base);
    staged.handle(list).update((all) => all ?? []);
    staged.handle(other).get();
    expect(staged.settle(base)).toEqual({ writes: [], errors: [] });
  });

  it('an update that does not fit the writes of others is reported as a conflict', () => {
    const staged = stagePluginState(base);
    staged.handle(list).update((all = []) => {
      if (all.length > 1) throw new Error('too many');
      return [...all, 'a'];
    });
    const now = PluginState.set(base, list, ['x', 'y']);
    expect(staged.settle(now)).toMatchObject({ writes: [], errors: [{ message: 'too many' }] });
  });

  it('an AgentStopError of an update is thrown on', () => {
    const staged = stagePluginState(base);
    staged.handle(list).update((all = []): string[] => {
      if (all.length > 1) throw new AgentStopError(signalOf('stop-requested'));
      return [];
    });
    const now: AgentState = PluginState.set(base, list, ['x', 'y']);
    expect(() => staged.settle(now)).toThrow(AgentStopError);
  });

  it('a write that does not fit the schema is rejected at once', () => {
    const staged = stagePluginState(base);
    expect(() => staged.handle(list).set([1] as never)).toThrow(
      expect.objectContaining({ code: 'plugin-state-invalid' }),
    );
    expect(staged.settle(base)).toEqual({ writes: [], errors: [] });
  });
});
