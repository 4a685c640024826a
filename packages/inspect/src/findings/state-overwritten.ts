import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { diffJson, type JsonDifference } from '../diff.ts';
import { defineDetector, type FindingInit } from './detector.ts';
import { quoteName } from './wording.ts';

type Write = { readonly who: string; readonly id: string; readonly value: JsonValue };

/** Most paths of one write that are compared, and most paths of a step that are kept. */
const most = { ofWrite: 200, ofStep: 1000 } as const;

/** A value that two authors wrote in one step. */
export const stateOverwritten = defineDetector({
  code: 'state-overwritten',
  area: 'state',
  severity: 'warning',
  finds:
    'A value of plugin state or metadata that one author wrote and another one overwrote in the same step.',
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
      if (last === undefined && writes.size >= most.ofStep) return null;
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

    function compare(
      before: AgentState,
      after: AgentState,
      part: Part,
      by: Omit<Write, 'value'>,
    ): FindingInit[] {
      const [root, from, to] = part(before, after);
      const differences = diffJson(from, to).filter(({ kind }) => kind !== 'moved');
      if (differences.length > most.ofWrite) return [];
      return differences
        .flatMap(leavesOf)
        .map(({ path, value }) => note([...root, ...path], { ...by, value }))
        .filter((init) => init !== null);
    }

    return ({ event, agent, before, call }) => {
      switch (event.type) {
        case 'step-start':
          writes.clear();
          return null;
        case 'metadata-change': {
          const who = event.source ?? 'app';
          return compare(before, agent, metadata, { who, id: who });
        }
        case 'plugin-change': {
          const who = event.source ?? 'app';
          return who === 'plugins' ? null : compare(before, agent, plugin(event.pluginId), { who, id: who });
        }
        case 'tool-end': {
          const by = { who: call?.toolCall.name ?? 'tool', id: event.toolCallId };
          return event.pluginWrites.flatMap(({ pluginId }) => compare(before, agent, plugin(pluginId), by));
        }
      }
    };
  },
});

type Part = (before: AgentState, after: AgentState) => readonly [readonly string[], unknown, unknown];

const metadata: Part = (before, after) => [
  ['context', 'metadata'],
  before.context.metadata,
  after.context.metadata,
];
const plugin =
  (id: string): Part =>
  (before, after) => [['plugins', id, 'data'], before.plugins[id]?.data, after.plugins[id]?.data];

type Place = Pick<JsonDifference, 'path' | 'before' | 'after'>;

/**
 * The values of a difference, each with its own path: a write that makes or removes an object writes each value in it.
 * An object with too many values counts as one.
 */
function leavesOf(difference: Place): readonly { readonly path: Place['path']; readonly value: JsonValue }[] {
  const leaves: Place[] = [];
  const places = [difference];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { path, before, after } = place;
    const names = new Set([...namesIn(before), ...namesIn(after)]);
    if (isValue(before) || isValue(after) || names.size === 0) leaves.push(place);
    for (const name of names)
      places.push({ path: [...path, name], before: valueAt(before, name), after: valueAt(after, name) });
    if (leaves.length + places.length > most.ofWrite) return [valueOf(difference)];
  }
  return leaves.map(valueOf);
}

function valueOf({ path, after }: Place): { readonly path: Place['path']; readonly value: JsonValue } {
  return { path, value: (after ?? null) as JsonValue };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isValue(value: unknown): boolean {
  return value !== undefined && !isObject(value);
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
