import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { inside, quoteName } from './wording.ts';

type Aside = {
  readonly pluginId: string;
  readonly key: string;
  readonly version: number;
  readonly data: JsonValue;
};

/** Stored state that its plugin could not read. */
export const stateSetAside = defineDetector({
  code: 'state-set-aside',
  area: 'state',
  severity: 'error',
  finds: 'Stored state that a plugin could not read, so that the run began without it.',
  reads: {
    'plugin-change': ['source', 'pluginId', 'version', 'data', 'isForgotten'],
    'error-record': ['error'],
    'step-start': [],
  },
  watch: () => {
    let open: Aside[] = [];
    return ({ event }) => {
      if (event.type === 'plugin-change') {
        const { source, pluginId: key, version, data, isForgotten } = event;
        const at = source === 'plugins' && isForgotten !== true ? key.indexOf('quarantine:') : -1;
        const pluginId = key.slice(at + 'quarantine:'.length).replace(/^\d+:/, '');
        if (at >= 0) open.push({ pluginId, key, version, data });
        return null;
      }
      // The errors of a load come after the start of the run, in the order of its plugins.
      const taken = event.type === 'error-record' ? open.slice(0, 1) : open;
      open = open.slice(taken.length);
      const why = event.type === 'error-record' ? `: ${inside(event.error.message)}` : '';
      return taken.map(({ pluginId, key, version, data }) => ({
        sentence: `The stored state of plugin ${quoteName(pluginId)} (version ${version}) was set aside, and the run began without it${why}.`,
        remedy:
          'Add the missing migration, or a schema that reads the old state. It is kept, and returns when the plugin can read it.',
        statePath: ['plugins', key],
        evidence: { before: data, who: pluginId, version },
      }));
    };
  },
});
