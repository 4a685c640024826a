import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import type { AgentState } from '../../graph/types.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { PluginHandle, PluginReference } from '../plugin-handle.ts';
import { freezeData, isCurrent, validateState } from './plugin-entry.ts';
import * as PluginState from './plugin-state.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- staged writes mix plugins of all state types
type AnyReference = PluginReference<any>;
/** The function of an `update`; null for a plain `set`. */
type Write = { readonly update: ((value: unknown) => unknown) | null };
type Slice = {
  readonly plugin: AnyReference;
  readonly baseRevision: number;
  readonly writes: Write[];
  /** The value that the call itself sees. */
  value: unknown;
};

/** A write of a call to the state of one plugin, as data. */
export type StagedWrite = {
  readonly pluginId: string;
  /** Schema version of the plugin that wrote it. */
  readonly version: number;
  /** The revision that the write replaces. */
  readonly fromRevision: number;
  readonly data: JsonValue;
};

/** Starts staging writes on the state at the start of a call: they are kept apart until the call succeeds. */
export function stagePluginState(base: AgentState) {
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

  function write(slice: Slice, next: unknown, update: Write['update']): void {
    slice.value = freezeData(validateState(slice.plugin, next));
    slice.writes.push({ update });
  }

  return {
    handle: <State>(plugin: PluginReference<State>): PluginHandle<State> => ({
      get: () => sliceOf(plugin).value as never,
      set: (value) => write(sliceOf(plugin), value, null),
      update(update) {
        const slice = sliceOf(plugin);
        write(slice, update(slice.value as never), update as (value: unknown) => unknown);
      },
    }),
    /**
     * Returns the writes for a state, which is not changed, and the errors of the lost ones as they were thrown. Updates
     * are applied to the writes of others, and writes without a change are left out. A plain `set` that would overwrite
     * others is lost, as is an update that does not fit their result: each is reported as a conflict, and the other
     * writes are kept.
     * @throws AgentStopError only, when an update throws it
     */
    settle(state: AgentState) {
      const writes: StagedWrite[] = [];
      const errors: unknown[] = [];
      for (const slice of slices.values()) {
        if (slice.writes.length === 0) continue;
        try {
          const written = settleWrite(slice, state);
          if (written !== null) writes.push(written);
        } catch (thrown) {
          if (isAgentStopError(thrown)) throw thrown;
          errors.push(thrown);
        }
      }
      return { writes, errors };
    },
  };
}

/** The write of one plugin for a state; null when it changes nothing. */
function settleWrite(slice: Slice, state: AgentState): StagedWrite | null {
  const { plugin, baseRevision } = slice;
  const fromRevision = PluginState.revision(state, plugin);
  const updates = slice.writes.flatMap(({ update }) => (update === null ? [] : [update]));
  const isFoldable = fromRevision !== baseRevision && updates.length === slice.writes.length;
  const data = isFoldable ? foldUpdates(plugin, state, updates) : (slice.value as JsonValue);
  if (isCurrent(state, plugin, data)) return null;
  if (isFoldable || fromRevision === baseRevision) {
    return { pluginId: plugin.id, version: plugin.version, fromRevision, data };
  }
  const message = `Plugin ${JSON.stringify(plugin.id)}: a parallel call has written its state, so this \`set\` was not applied. Use \`update\` instead.`;
  throw new AgentError('plugin-state-conflict', message, {
    data: { pluginId: plugin.id, baseRevision, revision: fromRevision },
  });
}

function foldUpdates(
  plugin: AnyReference,
  state: AgentState,
  updates: readonly ((value: unknown) => unknown)[],
): JsonValue {
  const present: unknown = PluginState.get(state, plugin);
  return validateState(
    plugin,
    updates.reduce((value, update) => update(value), present),
  );
}
