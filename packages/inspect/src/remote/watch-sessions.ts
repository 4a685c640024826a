import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { isSound } from '@vitrine/core/internal/run/event-shapes';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { type HubSource, type SessionHub, sessionHub } from '@vitrine/core/internal/session/hub';
import { knowledgeIn } from '../trace/trace.ts';
import { isEvent, type JournalDocument, readJournal } from '../replay/journal-document.ts';
import type { RemoteChannel } from './remote-channel.ts';
import { openRemote, remote, type RemoteMessage, sealRemote, type SessionMessage } from './remote-message.ts';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { createJournal, type Journal } from '@vitrine/core/internal/run/journal';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';

type WatchOptions = {
  /** The hub in which the sessions are announced. Default: that of this page, where its panel finds them. */
  readonly hub?: SessionHub;
  /** Called once for each reason why sessions of another page are not shown. Default: `reportError`. */
  readonly onError?: (error: AgentError) => void;
};

type Known = WatchedSession & { n: number; missed: number };

/** Number of messages out of order before the missing ones are requested again. */
const askEvery = 16;

/**
 * Announces the sessions of another page that shares them with `shareSessions`. A panel shows them beside those of
 * this page. They are read-only. Missed messages are requested again, and all received data is checked.
 * @returns a function that removes them.
 */
export function watchSessions(
  channel: RemoteChannel,
  { hub = sessionHub(), onError = report }: WatchOptions = {},
): () => void {
  const pages = new Map<string, Map<string, Known>>();
  const reported = new Set<string>();

  function reportOnce(why: string): void {
    if (reported.has(why)) return;
    reported.add(why);
    onError(new AgentError('remote-invalid', `Sessions of another page are not shown. ${why}`));
  }

  /** The id of the session. When another page shows the same id, the page is appended. */
  function hubId(page: string, source: string): string {
    const isTaken = [...pages].some(([other, sessions]) => other !== page && sessions.has(source));
    return isTaken ? `${source} of ${page}` : source;
  }

  function sessionOf(page: string, source: string): Known {
    const sessions = pages.get(page) ?? new Map<string, Known>();
    pages.set(page, sessions);
    const known = sessions.get(source);
    if (known) return known;
    const session = { ...watchSession(hubId(page, source), hub), n: 0, missed: 0 };
    sessions.set(source, session);
    return session;
  }

  function take(message: SessionMessage): void {
    const { page, source } = message;
    if (message.type === 'gone') {
      pages.get(page)?.get(source)?.end();
      pages.get(page)?.delete(source);
      return;
    }
    const session = sessionOf(page, source);
    if (message.type === 'journals') {
      session.takeJournals(message);
      session.n = message.n;
      session.missed = 0;
      return;
    }
    if (message.n <= session.n) return;
    const isNext = message.n === session.n + 1;
    if (isNext && session.takeEvents(message.journalId, readEvents(message.events))) session.n = message.n;
    else if (session.missed++ % askEvery === 0) line.post(sealRemote({ type: 'again', page, source }));
  }

  function receive(data: unknown): void {
    const message = openRemote(data);
    if (message === null) return;
    if ('otherVersion' in message) {
      const both = `It uses version ${message.otherVersion} of the protocol and this page version ${remote.version}.`;
      return reportOnce(`${both} Use the same version of the library on both pages.`);
    }
    try {
      if (message.type === 'here') line.post(sealRemote({ type: 'hello' }));
      else if (message.type === 'bye') leave(message.page);
      else if (isSessionMessage(message)) take(message);
    } catch (thrown) {
      reportOnce(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  function leave(page: string): void {
    for (const session of pages.get(page)?.values() ?? []) session.end();
    pages.delete(page);
  }

  const line = channel.open(receive);
  line.post(sealRemote({ type: 'hello' }));
  return () => {
    line.close();
    for (const page of pages.keys()) leave(page);
  };
}

function isSessionMessage(message: RemoteMessage): message is SessionMessage {
  return message.type === 'journals' || message.type === 'events' || message.type === 'gone';
}

function readEvents(given: readonly unknown[]): readonly AgentEvent[] {
  const isRight = Array.isArray(given) && given.every((event) => isEvent(event) && isSound(event));
  if (!isRight) throw new TypeError('It sent an unknown event.');
  return given as readonly AgentEvent[];
}

function report(error: AgentError): void {
  if (typeof reportError === 'function') reportError(error);
}

/** A session of another page in the hub of this one. */
type WatchedSession = {
  /** Applies new journals and events. @throws AgentError `state-invalid` or `state-version-unsupported` */
  readonly takeJournals: (message: Journals) => void;
  /** Applies events; false when they do not follow the last one here. */
  readonly takeEvents: (journalId: string, events: readonly AgentEvent[]) => boolean;
  readonly end: () => void;
};

type Journals = Extract<SessionMessage, { readonly type: 'journals' }>;
type Described = Pick<Journals, 'name' | 'knows'>;
type Shown = { readonly source: HubSource; readonly journal: Journal; readonly leave: () => void };

/** Announces the session with its first journal. */
function watchSession(id: string, hub: SessionHub): WatchedSession {
  let current: string | null = null;
  let shown: Shown | null = null;

  function show({ name, knows }: Described, base: AgentState, journalId: string): Journal {
    const journal = createJournal(base, { id: journalId });
    const known = knows === undefined ? {} : { knows: knowledgeIn(knows) };
    const source: HubSource = { id, name, journal, ...known };
    shown = { source, journal, leave: hub.register(source, shown?.source) };
    return journal;
  }

  function takeJournal(described: Described, document: JournalDocument): void {
    const { base, events } = readJournal(document);
    if (shown === null || document.id !== current) {
      current = document.id;
      takeAll(show(described, base, document.id), events);
    } else if (base.seq > shown.journal.state().seq || !takeAll(shown.journal, events)) {
      // The other page has dropped the events between, so the journal begins anew.
      takeAll(show(described, base, `${document.id} from ${base.seq}`), events);
    }
  }

  return {
    takeJournals(message) {
      const { journals } = message;
      // Journals before the current one were received earlier.
      const at = journals.findIndex(({ id: journalId }) => journalId === current);
      for (const journal of journals.slice(Math.max(0, at))) takeJournal(message, journal);
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
  const agent = stateAtPath(state, path);
  return agent === null || agent.seq >= seq;
}
