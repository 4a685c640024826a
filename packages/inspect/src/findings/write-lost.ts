import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

/** A write of a tool call to plugin state that another call had overtaken. */
export const writeLost = defineDetector({
  code: 'write-lost',
  area: 'state',
  severity: 'error',
  finds: 'A `set` of plugin state that was not applied, because a parallel call had written in between.',
  reads: {
    'tool-end': ['toolCallId', 'pluginWrites'],
    'error-record': ['error'],
  },
  watch: () => {
    let last: { readonly id: string; readonly name: string } | null = null;
    /** The call that wrote the state of a plugin last. */
    const writers = new Map<string, { readonly id: string; readonly name: string }>();
    return ({ event, agent, call }) => {
      if (event.type === 'tool-end') {
        last = { id: event.toolCallId, name: call?.toolCall.name ?? '' };
        for (const { pluginId } of event.pluginWrites) writers.set(pluginId, last);
        return null;
      }
      const { code, data, message } = event.error;
      const pluginId = data['pluginId'];
      // State that is kept aside when a plugin is loaded has the same code, and belongs to no call.
      if (code !== 'plugin-state-conflict' || typeof pluginId !== 'string' || !('revision' in data))
        return null;
      const winner = writers.get(pluginId) ?? null;
      const loser = last === null ? 'a call' : `the call of ${quoteName(last.name)}`;
      const other = winner === null ? 'another call' : `a call of ${quoteName(winner.name)}`;
      return {
        sentence: `The write of ${loser} to the state of plugin ${quoteName(pluginId)} was lost, because ${other} had written it meanwhile.`,
        remedy: 'Use `update` in place of `set`, so that the writes of parallel calls are merged.',
        ...(last === null ? {} : { toolCallId: last.id }),
        statePath: ['plugins', pluginId, 'data'],
        evidence: {
          ...(last === null ? {} : { who: last.name }),
          after: agent.plugins[pluginId]?.data ?? null,
          ...(winner === null ? {} : { writtenBy: winner.name, writtenByCall: winner.id }),
          message,
        },
      };
    };
  },
});
