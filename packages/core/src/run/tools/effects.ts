import type { Tool, ToolContext } from '../../agent/tool.ts';
import { stagePluginState } from '../../agent/plugin/staged-plugin-state.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { toJson } from '../../kit/to-json.ts';
import type { PluginValue } from '../events.ts';
import { commit, type Run, stateOf } from '../run.ts';
import { isAgentState, stateChanges } from '../state-changes.ts';

/** What a call does to the state: kept apart until it succeeds, and heard only while it runs. */
export type Effects = {
  readonly context: (tool: Tool, signal: AbortSignal) => ToolContext;
  /** What its plugins' states come to on what stands now, and what of it was lost to others. */
  readonly settle: () => { writes: readonly PluginValue[]; problems: readonly unknown[] };
  /** Commits what it changed in the state. @returns what went wrong: a call that worked is not reported failed for it. */
  readonly applyUpdates: () => readonly unknown[];
  /** From now on its tool is not heard any more. */
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
        `Tool ${JSON.stringify(toolCall.name)}: the function given to ctx.update returned something that is no AgentState.`,
        { data: { toolName: toolCall.name } },
      );
    }
    for (const change of stateChanges(before, after, toolCall.name, run.env)) commit(run, change);
  }

  return {
    close: () => void (isOpen = false),
    settle() {
      const { writes, conflicts } = staged.settle(stateOf(run));
      return { writes, problems: conflicts };
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
