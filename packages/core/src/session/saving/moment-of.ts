import type { Timestamp } from '../../graph/env.ts';
import type { Taken } from './change-log.ts';
import { headOf, type Origin } from './head-of.ts';
import type { Moment } from './plan-write.ts';
import type { Saved, Stored } from './saved.ts';
import {
  treeWithoutTransient,
  withoutTransientPlugins,
  withoutTransientWrites,
} from './transient-plugins.ts';

/** Returns the input of `planWrite`, without the state of plugins that is not saved. */
export function momentOf(
  stored: Stored | null,
  saved: Saved,
  taken: Taken,
  facts: {
    id: string;
    title: string;
    now: Timestamp;
    origin: Origin | null;
    canAppend: boolean;
    isAsking: boolean;
  },
): Moment {
  const { plugins } = saved;
  const { id, title, now, origin, canAppend, isAsking } = facts;
  const state = withoutTransientPlugins(taken.state, plugins);
  return {
    journalId: taken.journalId,
    state,
    head: headOf(stored, saved, { id, title, state, now, origin }),
    ...treeWithoutTransient(saved, plugins),
    events: taken.events.map((event) => withoutTransientWrites(event, plugins)),
    isWhole: taken.isWhole,
    canAppend,
    isAsking,
  };
}
