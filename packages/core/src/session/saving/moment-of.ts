import type { Timestamp } from '../../graph/env.ts';
import type { Taken } from './change-log.ts';
import { headOf } from './head-of.ts';
import type { Moment } from './plan-write.ts';
import type { Saved, Stored } from './saved.ts';
import {
  treeWithoutTransient,
  withoutTransientPlugins,
  withoutTransientWrites,
} from './transient-plugins.ts';

/** What there is to write from, without what is for this page only. */
export function momentOf(
  stored: Stored | null,
  saved: Saved,
  taken: Taken,
  facts: { id: string; title: string; now: Timestamp; canAppend: boolean; isAsking: boolean },
): Moment {
  const { plugins } = saved;
  const { id, title, now, canAppend, isAsking } = facts;
  const state = withoutTransientPlugins(taken.state, plugins);
  return {
    journalId: taken.journalId,
    state,
    head: headOf(stored, saved, { id, title, state, now }),
    ...treeWithoutTransient(saved, plugins),
    events: taken.events.map((event) => withoutTransientWrites(event, plugins)),
    isErasing: taken.isErasing,
    canAppend,
    isAsking,
  };
}
