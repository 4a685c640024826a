import type { AgentEvent } from '../../run/events.ts';
import { redact, type Redaction, redactText } from '../redact.ts';
import type { JournalDocument } from '../replay/journal-document.ts';

/** A journal without secrets, also where one came in pieces. */
export function redactJournal(
  journal: JournalDocument,
  onRedact?: (redaction: Redaction) => void,
): JournalDocument {
  const events = withoutPieces(journal.events);
  return redact({ ...journal, events }, { onRedact }) as JournalDocument;
}

/** Events without secrets, also where a secret came in pieces that are all among them. */
export function redactEvents(events: readonly AgentEvent[]): readonly AgentEvent[] {
  return redact(withoutPieces(events)) as readonly AgentEvent[];
}

type Delta = Extract<AgentEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>;

/** Moves the text of deltas that form a secret together into the first of them, redacted; the others become empty. */
function withoutPieces<Event extends AgentEvent>(events: readonly Event[]): readonly Event[] {
  const parts = new Map<string, number[]>();
  const calls = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const agent = event.path.join('/');
    // Part ids start anew in every answer.
    if (event.type === 'inference-start') calls.set(agent, index);
    if (!isDelta(event)) continue;
    const key = [calls.get(agent), agent, event.type, event.partId].join(' ');
    parts.set(key, [...(parts.get(key) ?? []), index]);
  }
  const next = [...events];
  for (const indexes of parts.values()) {
    const whole = indexes.map((index) => (events[index] as Delta).delta).join('');
    const safe = redactText(whole, 'delta');
    if (indexes.length < 2 || safe === whole) continue;
    for (const [at, index] of indexes.entries())
      next[index] = { ...(events[index] as Event), delta: at === 0 ? safe : '' };
  }
  return next;
}

function isDelta(event: AgentEvent): event is Delta {
  return event.type === 'text-delta' || event.type === 'reasoning-delta';
}
