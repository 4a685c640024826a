import type { AgentState } from '../../graph/types.ts';
import type { AgentEvent } from '../../run/events.ts';
import { createJournal, type Journal } from '../../run/journal.ts';
import { stateAt } from '../../run/state-at.ts';
import type { HubSource, SessionHub } from '../../session/hub.ts';
import { type JournalDocument, readJournal } from '../replay/journal-document.ts';

/** A session of another page in the hub of this one. */
export type WatchedSession = {
  /**
   * Applies new journals and events.
   * @throws AgentError `state-invalid` or `state-version-unsupported` for an invalid journal
   */
  readonly takeJournals: (name: string, journals: readonly JournalDocument[]) => void;
  /** Applies events; false when they do not follow the last one here. */
  readonly takeEvents: (journalId: string, events: readonly AgentEvent[]) => boolean;
  readonly end: () => void;
};

type Shown = { readonly source: HubSource; readonly journal: Journal; readonly leave: () => void };

/** Announces the session with its first journal. */
export function watchSession(id: string, hub: SessionHub): WatchedSession {
  let current: string | null = null;
  let shown: Shown | null = null;

  function show(name: string, base: AgentState, journalId: string): Journal {
    const journal = createJournal(base, { id: journalId });
    const source: HubSource = { id, name, journal };
    shown = { source, journal, leave: hub.register(source, shown?.source) };
    return journal;
  }

  function takeJournal(name: string, document: JournalDocument): void {
    const { base, events } = readJournal(document);
    if (shown === null || document.id !== current) {
      current = document.id;
      takeAll(show(name, base, document.id), events);
    } else if (base.seq > shown.journal.state().seq || !takeAll(shown.journal, events)) {
      // The other page has dropped the events between, so the journal begins anew.
      takeAll(show(name, base, `${document.id} from ${base.seq}`), events);
    }
  }

  return {
    takeJournals(name, journals) {
      // Journals before the current one were received earlier.
      const at = journals.findIndex(({ id: journalId }) => journalId === current);
      for (const journal of journals.slice(Math.max(0, at))) takeJournal(name, journal);
    },
    takeEvents(journalId, events) {
      return shown !== null && journalId === current && takeAll(shown.journal, events);
    },
    end() {
      shown?.leave();
      shown = null;
    },
  };
}

/** Applies all events that are new to the journal; false when one does not follow the last. */
function takeAll(journal: Journal, events: readonly AgentEvent[]): boolean {
  try {
    return events.every((event) => isKnownTo(journal.state(), event) || journal.take(event));
  } catch {
    return false;
  }
}

/** True for an event that was applied before, or whose agent is gone. */
function isKnownTo(state: AgentState, { path, seq }: AgentEvent): boolean {
  if (seq === null) return false;
  const agent = stateAt(state, path);
  return agent === null || agent.seq >= seq;
}
