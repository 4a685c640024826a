import type { ContinuationEvaluation } from '@vitrine/core/types';
import { eventsOf, type JournalRecord } from '@vitrine/core/inspect';

const most = 200;

/** The recorded checks of the root's current execution, oldest first; at most the last 200. */
export function evaluationsOf(record: JournalRecord): readonly ContinuationEvaluation[] {
  const found: ContinuationEvaluation[] = [];
  const events = eventsOf(record);
  for (let at = events.length - 1; at >= 0 && found.length < most; at--) {
    const event = events[at]?.event;
    if (event === undefined || event.path.length > 0) continue;
    if (event.type === 'execution-start') break;
    if (event.type === 'continuation-evaluate') found.push(event.evaluation);
  }
  return found.reverse();
}
