import { type StagedWrite, stagePluginState } from '../../agent/plugin/staged-plugin-state.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { equalJson } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';
import type { AgentEventBody, PluginValue } from '../events.ts';
import { commit, stateOf } from '../run.ts';
import { isAgentState, stateChanges } from '../state-changes.ts';
import type { CallChanges, RecordedChanges, Run } from '../slots.ts';

/** The recorded plugin writes that change something, and the errors of those that would overwrite a later one. */
export function recordedWrites(
  { plugins }: AgentState,
  writes: readonly StagedWrite[],
): { readonly writes: readonly PluginValue[]; readonly errors: readonly unknown[] } {
  const kept: PluginValue[] = [];
  const errors: AgentError[] = [];
  for (const { pluginId, version, fromRevision, data } of writes) {
    const { revision = 0, data: present = null } = plugins[pluginId] ?? {};
    if (revision <= fromRevision) kept.push({ pluginId, version, data });
    else if (!equalJson(present, data)) {
      const message = `Plugin ${JSON.stringify(pluginId)}: its state has changed since this recorded call wrote it, so the recorded write was not applied.`;
      errors.push(
        new AgentError('plugin-state-conflict', message, { data: { pluginId, fromRevision, revision } }),
      );
    }
  }
  return { writes: kept, errors };
}

export function createCallChanges(run: Run, { id: toolCallId, toolCall }: ToolExecution): CallChanges {
  const { name: toolName } = toolCall;
  const base = stateOf(run);
  const staged = stagePluginState(base);
  const updates: ((state: AgentState) => AgentState)[] = [];
  let isOpen = true;

  const changesBetween = (before: AgentState, after: AgentState): readonly AgentEventBody[] =>
    stateChanges(before, after, toolName, run.env, { isErasing: true });

  function applyTo(update: (state: AgentState) => AgentState, before: AgentState): AgentState {
    const after: unknown = update(before);
    if (isAgentState(after)) return after;
    const message = `Tool ${JSON.stringify(toolName)}: the function given to ctx.update did not return an AgentState. Return the given state, changed or not.`;
    throw new AgentError('hook-contract', message, { data: { toolName } });
  }

  function applyUpdate(update: (state: AgentState) => AgentState): void {
    const before = stateOf(run);
    for (const change of changesBetween(before, applyTo(update, before))) commit(run, change);
  }

  function asData(): RecordedChanges {
    const { writes } = staged.settle(stateOf(run));
    type Folded = { readonly after: AgentState; readonly events: readonly AgentEventBody[] };
    const { events } = updates.reduce<Folded>(
      (before, update) => {
        try {
          const after = applyTo(update, before.after);
          return { after, events: [...before.events, ...changesBetween(before.after, after)] };
        } catch {
          // The update fails again when it is applied, and is reported then.
          return before;
        }
      },
      { after: stateOf(run), events: [] },
    );
    return { writes, events };
  }

  return {
    close: () => void (isOpen = false),
    asData,
    settle: () => staged.settle(stateOf(run)),
    applyUpdates: () =>
      updates.flatMap((update) => {
        try {
          applyUpdate(update);
          return [];
        } catch (thrown) {
          return [thrown];
        }
      }),
    context: (tool, signal) => ({
      state: base,
      signal,
      toolCallId,
      plugin: staged.handle,
      own() {
        const plugin = run.agent.plugins.find((candidate) => candidate.id === tool.pluginId);
        if (plugin) return staged.handle(plugin);
        const message = `Tool ${JSON.stringify(tool.name)} belongs to no plugin, so it has no state of its own. Use ctx.plugin(p).`;
        throw new AgentError('plugin-unknown', message);
      },
      update: (update) => void updates.push(update),
      principal: run.by === null ? null : { id: run.by },
      report(progress) {
        if (isOpen)
          run.lease.commit(run.path, { type: 'tool-progress', toolCallId, progress: toJson(progress) });
      },
    }),
  };
}
