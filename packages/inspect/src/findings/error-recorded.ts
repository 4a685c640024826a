import { setAside } from '@vitrine/core/internal/agent/plugin/plugin-entry';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { inside } from './wording.ts';

/** Errors that have findings of their own. */
const reported = new Set(['content-filtered', 'output-invalid', 'output-truncated']);

/** An error of a run that belongs to no tool call. */
export const errorRecorded = defineDetector({
  code: 'error-recorded',
  area: 'session',
  severity: 'error',
  finds: 'An error of the model, a hook, a plugin or the session, also when it belongs to no step.',
  reads: { 'error-record': ['error'] },
  watch:
    () =>
    ({ event, agent }) => {
      const { name, code, message, data } = event.error;
      if (code !== null && (reported.has(code) || isOfPluginState(code, data, agent))) return null;
      return {
        key: `${code}|${message}`,
        sentence: `An error was recorded: ${inside(message)}.`,
        remedy:
          code === 'session-conflict'
            ? 'Another tab or device changed the session meanwhile. Open the session again to see both.'
            : 'Open the step of the error. The code of the error is explained in the reference.',
        evidence: { name, code, message },
      };
    },
});

/** True for a write that was lost, and for state that was set aside when the plugin was loaded. */
function isOfPluginState(code: string, { pluginId, revision }: JsonObject, { plugins }: AgentState): boolean {
  if (code === 'plugin-state-conflict' && revision !== undefined) return true;
  return (
    code.startsWith('plugin-state-') && typeof pluginId === 'string' && setAside(plugins, pluginId).length > 0
  );
}
