import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withMessages } from '@vitrine/core/internal/graph/agent-state/transitions';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type {
  SaveOptions,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import { headIn } from '@vitrine/persist/internal/rows/head';
import { sampleEvents, type SampleSession } from './sample-session.ts';
import type { SuiteContext } from './suite-context.ts';

/** A change of a store, applied to the one under test and to the model. */
export type Change = { readonly what: string; readonly apply: (store: SessionStore) => Promise<unknown> };

type Source = Pick<SuiteContext, 'random' | 'env'> & { readonly samples: readonly SampleSession[] };

/** A random change of a session in the stored state; sometimes one that must be rejected. */
export function randomChange(source: Source, id: string, stored: SessionRecord | null): Change {
  const { random } = source;
  const version = stored?.version ?? 0;
  const expectedVersion = random.chance(0.15) ? Math.max(0, version + random.pick([-1, 1])) : version;
  const kind = random.below(10);
  if (kind === 0) return { what: `remove ${id}`, apply: (store) => store.remove(id) };
  if (kind === 1)
    return {
      what: `remove ${id} at ${expectedVersion}`,
      apply: (store) => store.remove(id, { expectedVersion }),
    };
  if (kind === 2 && stored !== null)
    return { what: `take over ${id}`, apply: (store) => store.takeEpoch(id) };
  if (kind < 6) return randomAppend(source, id, stored, expectedVersion);
  return randomSave(source, id, stored, expectedVersion);
}

function randomAppend(
  { random, env }: Source,
  id: string,
  stored: SessionRecord | null,
  expectedVersion: number,
): Change {
  const texts = Array.from({ length: random.below(4) }, () => `said ${env.id()}`);
  const append = {
    ...writerOf(random, stored),
    expectedVersion,
    journalId: random.chance(0.05) ? 'another' : (stored?.journal.id ?? 'none'),
    events: stored === null ? [] : sampleEvents(liveRecord(stored).state, texts, env),
    ...(random.chance(0.4) && stored !== null ? { head: { ...headIn(stored), draft: env.id() } } : {}),
  };
  return {
    what: `append ${texts.length} to ${id} at ${expectedVersion}`,
    apply: (store) => store.append(id, append),
  };
}

/** A writer that mostly knows the last epoch, and names its write or does not. */
function writerOf(
  random: Source['random'],
  stored: SessionRecord | null,
): Pick<SaveOptions, 'epoch' | 'writeId'> {
  const epoch = random.chance(0.1) ? 0 : (stored?.epoch ?? 0);
  return { epoch, ...(random.chance(0.5) ? { writeId: `write-${random.below(1e9)}` } : {}) };
}

function randomSave(
  source: Source,
  id: string,
  stored: SessionRecord | null,
  expectedVersion: number,
): Change {
  const { random, env, samples } = source;
  const { record: sample, runs } = random.pick(samples);
  const live = stored === null ? null : liveRecord(stored);
  const state = live === null || random.chance(0.1) ? sample.state : editMessages(live.state, source);
  const keepsTail = stored !== null && random.chance(0.2);
  const record: SessionRecord = {
    ...(stored ?? sample),
    id,
    title: `Title ${env.id()}`,
    state: keepsTail ? stored.state : state,
    journal: keepsTail
      ? stored.journal
      : { id: random.pick(['j1', 'j2']), records: random.below(3), tail: [] },
    branches: random.chance(0.3) ? sample.branches : (stored?.branches ?? []),
    checkpoints: random.chance(0.3) ? sample.checkpoints : (stored?.checkpoints ?? []),
  };
  const options: SaveOptions = {
    ...writerOf(random, stored),
    expectedVersion,
    ...(random.chance(0.3) ? { newRuns: runs } : {}),
    ...(random.chance(0.1) ? { isErasing: true } : {}),
  };
  return { what: `save ${id} at ${expectedVersion}`, apply: (store) => store.save(record, options) };
}

/** Removes, changes and adds messages at random positions. */
function editMessages(state: AgentState, { random, env }: Source): AgentState {
  const list = messages(state);
  const from = random.below(list.length + 1);
  const kept = random.chance(0.5) ? list : [...list.slice(0, from), ...list.slice(from + random.below(3))];
  const changed = kept.map((message) =>
    random.chance(0.05) ? { ...message, metadata: { ...message.metadata, changed: env.id() } } : message,
  );
  const more = random.chance(0.1) ? 150 : random.below(3);
  const added = Array.from({ length: more }, () => ({
    id: env.id(),
    role: 'user' as const,
    parts: [{ type: 'text' as const, text: 'more' }],
    metadata: {},
    createdAt: env.now(),
    parentId: null,
  }));
  return withMessages(state, [...changed, ...added], env);
}
