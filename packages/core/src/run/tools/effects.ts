import type { Tool, ToolContext } from '../../agent/tool.ts';
import { stagePluginState } from '../../agent/plugin/staged-plugin-state.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { toJson } from '../../kit/to-json.ts';
import type { PluginValue } from '../events.ts';
import { commit, type Run, stateOf } from '../run.ts';
import { isAgentState, stateChanges } from '../state-changes.ts';

/** The state changes of a call, held back until it succeeds and accepted only while it runs. */
export type Effects = {
  readonly context: (tool: Tool, signal: AbortSignal) => ToolContext;
  /**
   * The plugin states after the call, merged with the current ones, and the writes that were lost to other
   * calls.
   */
  readonly settle: () => { writes: readonly PluginValue[]; errors: readonly unknown[] };
  /**
   * Commits the state changes of the call. @returns the errors; a successful call does not fail because of
   * them.
   */
  readonly applyUpdates: () => readonly unknown[];
  /** Ignores the tool from now on. */
  readonly close: () => void;
};

export function createEffects(run: Run, { id: toolCallId, toolCall }: ToolExecution): Effects {
  const base = stateOf(run);
  const staged = stagePluginState(base);
  const updates: ((state: AgentState) => AgentState)[] = [];
  let isOpen = true;

  function applyUpdate(update: (state: AgentState) => AgentState): void {
    const before = stateOf(run);
    const after: unknown = update(before);
    if (!isAgentState(after)) {
      throw new AgentError(
        'hook-contract',
        `Tool ${JSON.stringify(toolCall.name)}: the function given to ctx.update did not return an AgentState. Return the given state, changed or not.`,
        { data: { toolName: toolCall.name } },
      );
    }
    const changes = stateChanges(before, after, toolCall.name, run.env, { isErasing: true });
    for (const change of changes) commit(run, change);
  }

  return {
    close: () => void (isOpen = false),
    settle() {
      const { writes, conflicts } = staged.settle(stateOf(run));
      return { writes, errors: conflicts };
    },
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
        throw new AgentError(
          'plugin-unknown',
          `Tool ${JSON.stringify(tool.name)} belongs to no plugin, so it has no state of its own. Use ctx.plugin(p).`,
        );
      },
      update: (update) => void updates.push(update),
      report(progress) {
        if (isOpen)
          run.lease.commit(run.path, { type: 'tool-progress', toolCallId, progress: toJson(progress) });
      },
    }),
  };
}
