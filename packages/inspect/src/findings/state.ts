import { type JsonDifference, diffJson } from '../diff.ts';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { type FindingInit, defineFor } from './detector.ts';
import { inside, quoteName } from './wording.ts';

const define = defineFor('state');

type Write = { readonly who: string; readonly id: string; readonly value: JsonValue };

/** Most paths of one write that are compared, and most paths of a step that are kept. */
const mostPaths = { ofWrite: 200, ofStep: 1000 } as const;

const dataPath = (pluginId: string): readonly string[] => ['plugins', pluginId, 'data'];

type Place = Pick<JsonDifference, 'path' | 'before' | 'after'>;

/** Detectors of plugin state: of writes, and of what an earlier run or version left. */
export const stateDetectors = [
  /** A `set` of plugin state that was not applied, because a parallel call had written in between. */
  define('write-lost', {
    severity: 'fault',
    reads: { 'tool-end': ['toolCallId', 'pluginWrites'], 'error-record': ['error'] },
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
          statePath: dataPath(pluginId),
          evidence: {
            ...(last === null ? {} : { who: last.name }),
            after: agent.plugins[pluginId]?.data ?? null,
            ...(winner === null ? {} : { writtenBy: winner.name, writtenByCall: winner.id }),
            message,
          },
        };
      };
    },
  }),
  /** A value of plugin state or metadata that one author wrote and another one overwrote in the same step. */
  define('state-overwritten', {
    reads: {
      'step-start': [],
      'tool-end': ['toolCallId', 'pluginWrites'],
      'plugin-change': ['source', 'pluginId'],
      'metadata-change': ['source'],
    },
    watch: () => {
      const writes = new Map<string, Write[]>();

      function note(path: readonly string[], write: Write): FindingInit | null {
        const key = path.join('\u0000');
        const known = writes.get(key) ?? [];
        const last = known.at(-1);
        if (last === undefined && writes.size >= mostPaths.ofStep) return null;
        writes.set(key, [...known, write]);
        if (last === undefined || last.id === write.id || isAddition(last.value, write.value)) return null;
        const all = [...known, write];
        return {
          key: `${key}|${all[0]?.id ?? ''}`,
          sentence: `${quoteName(write.who)} overwrote ${quoteName(path.join('.'))}, which ${quoteName(last.who)} had written in the same step.`,
          remedy:
            'Let one author own the value, give each its own key, or merge with `update`. The writers are listed in their order.',
          statePath: path,
          evidence: {
            before: last.value,
            after: write.value,
            who: write.who,
            writers: all.map(({ who, value }) => ({ who, value })),
          },
        };
      }

      return ({ event, agent, before, call }) => {
        const compare = (root: readonly string[], by: Omit<Write, 'value'>): FindingInit[] => {
          const [from, to] = [before, agent].map((state) => root.reduce(valueAt, state));
          const differences = diffJson(from, to).filter(({ kind }) => kind !== 'moved');
          if (differences.length > mostPaths.ofWrite) return [];
          return differences
            .flatMap(leavesOf)
            .map(({ path, value }) => note([...root, ...path], { ...by, value }))
            .filter((init) => init !== null);
        };
        switch (event.type) {
          case 'step-start':
            writes.clear();
            return null;
          case 'metadata-change': {
            const who = event.source ?? 'app';
            return compare(['context', 'metadata'], { who, id: who });
          }
          case 'plugin-change': {
            const who = event.source ?? 'app';
            return who === 'plugins' ? null : compare(dataPath(event.pluginId), { who, id: who });
          }
          case 'tool-end': {
            const by = { who: call?.toolCall.name ?? 'tool', id: event.toolCallId };
            return event.pluginWrites.flatMap(({ pluginId }) => compare(dataPath(pluginId), by));
          }
        }
      };
    },
  }),
  /** Stored state that was migrated to the version of its plugin. */
  define('state-migrated', {
    reads: { 'plugin-change': ['source', 'pluginId', 'version', 'data'], 'step-start': [] },
    watch: () => {
      let done: FindingInit[] = [];
      return ({ event, before }) => {
        if (event.type === 'plugin-change') {
          const { source, pluginId, version, data } = event;
          const former = before.plugins[pluginId];
          if (source === 'plugins' && former !== undefined && former.version < version)
            done.push({
              sentence: `The stored state of plugin ${quoteName(pluginId)} was migrated from version ${former.version} to ${version}.`,
              remedy: 'Nothing. Compare both values when the plugin behaves in another way than before.',
              statePath: dataPath(pluginId),
              evidence: { before: former.data, after: data, who: pluginId },
            });
          return null;
        }
        const all = done;
        done = [];
        return all;
      };
    },
  }),
  /** Stored state that a plugin could not read, so that the run began without it. */
  define('state-set-aside', {
    severity: 'fault',
    reads: {
      'plugin-change': ['source', 'pluginId', 'version', 'data', 'isForgotten'],
      'error-record': ['error'],
      'step-start': [],
    },
    watch: () => {
      let open: ((why: string) => FindingInit)[] = [];
      return ({ event }) => {
        if (event.type === 'plugin-change') {
          const { source, pluginId: key, version, data, isForgotten } = event;
          const at = source === 'plugins' && isForgotten !== true ? key.indexOf('quarantine:') : -1;
          const pluginId = key.slice(at + 'quarantine:'.length).replace(/^\d+:/, '');
          if (at >= 0)
            open.push((why) => ({
              sentence: `The stored state of plugin ${quoteName(pluginId)} (version ${version}) was set aside, and the run began without it${why}.`,
              remedy:
                'Add the missing migration, or a schema that reads the old state. It is kept, and returns when the plugin can read it.',
              statePath: ['plugins', key],
              evidence: { before: data, who: pluginId, version },
            }));
          return null;
        }
        // The errors of a load come after the start of the run, in the order of its plugins.
        const taken = event.type === 'error-record' ? open.slice(0, 1) : open;
        open = open.slice(taken.length);
        const why = event.type === 'error-record' ? `: ${inside(event.error.message)}` : '';
        return taken.map((describe) => describe(why));
      };
    },
  }),
  /** Plugin state that an earlier run has written and that was forgotten or emptied when this run began. */
  define('state-reset', {
    reads: {
      'execution-start': ['forgottenPlugins'],
      'plugin-change': ['source', 'pluginId', 'data'],
      'tool-end': [],
    },
    watch: () => {
      let isBegun = false;
      return ({ event, before }): readonly FindingInit[] | null => {
        if (event.type === 'execution-start')
          return event.forgottenPlugins.flatMap((pluginId) => {
            const data = before.plugins[pluginId]?.data;
            return data === undefined || isEmpty(data)
              ? []
              : [
                  findReset(
                    pluginId,
                    data,
                    'is kept for one run only (`persist`), so this run began without it',
                    'execution',
                  ),
                ];
          });
        isBegun ||= event.type === 'tool-end';
        if (isBegun || event.type !== 'plugin-change' || event.source === 'plugins') return null;
        const data = before.plugins[event.pluginId]?.data;
        if (data === undefined || isEmpty(data) || !isEmpty(event.data)) return null;
        const who = event.source ?? 'app';
        return [findReset(event.pluginId, data, `was emptied by ${quoteName(who)} when this run began`, who)];
      };
    },
  }),
];

/** The values of a difference, each with its own path. An object with too many values counts as one. */
function leavesOf(difference: Place): readonly { readonly path: Place['path']; readonly value: JsonValue }[] {
  const leaves: Place[] = [];
  const places = [difference];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { path, before, after } = place;
    const names = new Set([...namesIn(before), ...namesIn(after)]);
    if (names.size === 0 || [before, after].some((value) => value !== undefined && !isObject(value)))
      leaves.push(place);
    for (const name of names)
      places.push({ path: [...path, name], before: valueAt(before, name), after: valueAt(after, name) });
    if (leaves.length + places.length > mostPaths.ofWrite) return [valueOf(difference)];
  }
  return leaves.map(valueOf);
}

function valueOf({ path, after }: Place): { readonly path: Place['path']; readonly value: JsonValue } {
  return { path, value: (after ?? null) as JsonValue };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function namesIn(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function valueAt(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** True for equal values, and for a counter: the second number is based on the first. */
function isAddition(first: JsonValue, second: JsonValue): boolean {
  return first === second || (typeof first === 'number' && typeof second === 'number');
}

function findReset(pluginId: string, before: JsonValue, how: string, who: string): FindingInit {
  return {
    key: pluginId,
    sentence: `The state of plugin ${quoteName(pluginId)}, which an earlier run had written, ${how}.`,
    remedy: "Give the plugin `persist: 'session'`, or let the hook write only what is not there yet.",
    statePath: dataPath(pluginId),
    evidence: { before, who },
  };
}

/** True for a value without content: empty texts and lists, zeros, and objects of such values. */
function isEmpty(value: JsonValue): boolean {
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'object' && next !== null) open.push(...(Object.values(next) as JsonValue[]));
    else if (next !== null && next !== '' && next !== 0 && next !== false) return false;
  }
  return true;
}
