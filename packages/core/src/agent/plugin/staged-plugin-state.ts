import { type Env } from '../../graph/env.ts';
import type { JsonValue } from '../../kit/json.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { AgentState, PluginWrite } from '../../graph/types.ts';
import type { PluginHandle, PluginReference } from '../plugin-handle.ts';
import * as PluginState from './plugin-state.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- staged writes mix plugins of all state types
type AnyReference = PluginReference<any>;
type Write = { readonly isBlind: boolean; readonly apply: (value: unknown) => unknown };
type Slice = {
  readonly plugin: AnyReference;
  readonly baseRevision: number;
  readonly writes: Write[];
  value: unknown;
};

/** The writes of one tool call, kept apart until the call succeeds. */
export type StagedPluginState = {
  readonly handle: <State>(plugin: PluginReference<State>) => PluginHandle<State>;
  /**
   * The state with the writes applied. Updates are folded into what other calls have committed meanwhile.
   * @throws AgentError `plugin-state-conflict` when a plain `set` would wipe out such a commit.
   */
  readonly settle: (state: AgentState) => {
    writes: { pluginId: string; version: number; data: JsonValue }[];
    conflicts: unknown[];
  };
  readonly commit: (state: AgentState, env: Env) => { state: AgentState; writes: readonly PluginWrite[] };
};

export function stagePluginState(base: AgentState): StagedPluginState {
  const slices = new Map<string, Slice>();

  function sliceOf(plugin: AnyReference): Slice {
    const existing = slices.get(plugin.id);
    if (existing) return existing;
    const slice: Slice = {
      plugin,
      baseRevision: PluginState.revision(base, plugin),
      writes: [],
      value: PluginState.get(base, plugin),
    };
    slices.set(plugin.id, slice);
    return slice;
  }

  function write(slice: Slice, entry: Write): void {
    slice.value = PluginState.validate(slice.plugin, entry.apply(slice.value));
    slice.writes.push(entry);
  }

  return {
    handle: (plugin) => ({
      get: () => sliceOf(plugin).value as never,
      set: (value) => write(sliceOf(plugin), { isBlind: true, apply: () => value }),
      update: (update) =>
        write(sliceOf(plugin), { isBlind: false, apply: (value) => update(value as never) }),
    }),
    settle(state) {
      const writes: { pluginId: string; version: number; data: JsonValue }[] = [];
      const conflicts: unknown[] = [];
      for (const slice of slices.values()) {
        if (slice.writes.length === 0) continue;
        try {
          const value = settled(slice, state, PluginState.revision(state, slice.plugin));
          const next = PluginState.set(state, slice.plugin, value);
          const entry = next.plugins[slice.plugin.id];
          if (next !== state && entry)
            writes.push({ pluginId: slice.plugin.id, version: entry.version, data: entry.data });
        } catch (thrown) {
          conflicts.push(thrown);
        }
      }
      return { writes, conflicts };
    },
    commit(state, env) {
      const writes: PluginWrite[] = [];
      let next = state;
      for (const slice of slices.values()) {
        if (slice.writes.length === 0) continue;
        const fromRevision = PluginState.revision(next, slice.plugin);
        next = PluginState.set(next, slice.plugin, settled(slice, next, fromRevision), env);
        const toRevision = PluginState.revision(next, slice.plugin);
        if (toRevision !== fromRevision) writes.push({ pluginId: slice.plugin.id, fromRevision, toRevision });
      }
      return { state: next, writes };
    },
  };
}

function settled(slice: Slice, state: AgentState, revision: number): unknown {
  if (revision === slice.baseRevision) return slice.value;
  if (slice.writes.every((entry) => !entry.isBlind)) {
    return slice.writes.reduce(
      (value, entry) => entry.apply(value),
      PluginState.get(state, slice.plugin) as unknown,
    );
  }
  throw new AgentError(
    'plugin-state-conflict',
    `Plugin ${JSON.stringify(slice.plugin.id)}: a parallel call has written its state, so this \`set\` was not applied. Use \`update\` instead.`,
    { data: { pluginId: slice.plugin.id, baseRevision: slice.baseRevision, revision } },
  );
}
