import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

type Migration = {
  readonly pluginId: string;
  readonly from: number;
  readonly to: number;
  readonly before: JsonValue;
  readonly after: JsonValue;
};

/** Stored state that a newer version of its plugin migrated. */
export const stateMigrated = defineDetector({
  code: 'state-migrated',
  area: 'state',
  severity: 'note',
  finds: 'Stored state that was migrated to the version of its plugin.',
  reads: {
    'plugin-change': ['source', 'pluginId', 'version', 'data'],
    'step-start': [],
  },
  watch: () => {
    let done: Migration[] = [];
    return ({ event, before }) => {
      if (event.type === 'plugin-change') {
        const { source, pluginId, version, data } = event;
        const former = before.plugins[pluginId];
        if (source === 'plugins' && former !== undefined && former.version < version)
          done.push({ pluginId, from: former.version, to: version, before: former.data, after: data });
        return null;
      }
      const all = done;
      done = [];
      return all.map(({ pluginId, from, to, before: old, after }) => ({
        sentence: `The stored state of plugin ${quoteName(pluginId)} was migrated from version ${from} to ${to}.`,
        remedy: 'Nothing. Compare both values when the plugin behaves in another way than before.',
        statePath: ['plugins', pluginId, 'data'],
        evidence: { before: old, after, who: pluginId },
      }));
    };
  },
});
