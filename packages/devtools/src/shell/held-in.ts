import { eventsOf, type JournalRecord } from '@vitrine/core/inspect';

/** The part of a budget that calls in flight reserve, because their costs are not known yet. */
export type Held = { readonly tokens: number; readonly cost: number };

const nothing: Held = { tokens: 0, cost: 0 };
/** Number of events to search backwards. A waiting agent reports often, so an older wait has ended. */
const looked = 500;

/**
 * The reserved budget at the end of a record, as the last agent that still waits for budget reported it.
 */
export function heldIn(record: JournalRecord): Held {
  if (record.state.execution?.status !== 'in-progress') return nothing;
  const events = eventsOf(record);
  const heard = new Set<string>();
  for (let at = events.length - 1; at >= Math.max(0, events.length - looked); at--) {
    const event = events[at]?.event;
    if (event === undefined) break;
    const path = event.path.join('/');
    if (event.type === 'budget-wait' && !heard.has(path)) return event.held;
    if (event.type === 'execution-start' && path === '') break;
    heard.add(path);
  }
  return nothing;
}
