import type { HubSource } from '../../session/hub.ts';
import { apply } from '../../run/apply.ts';
import type { AgentEvent } from '../../run/events.ts';
import { mergeDeltas } from '../../run/merge-deltas.ts';
import { createJournalLog, type JournalLog } from '../journal-log.ts';
import { redactEvents } from '../trace/redact-journal.ts';
import { exportTrace } from '../trace/trace.ts';
import type { SessionMessage } from './remote-message.ts';
import { createWholeAnswers, type WholeAnswers } from './whole-answers.ts';

/** Posts a message, which is created only when another page listens. */
type Post = (make: () => SessionMessage) => void;

/** A shared session of this page. */
export type SharedSession = {
  /** Continues with the source that replaced the former. */
  readonly follow: (source: HubSource) => void;
  /** Sends everything, for a receiver that is new or missed a message. */
  readonly sendAll: () => void;
  readonly end: () => void;
};

export function shareSession(
  first: HubSource,
  { page, post }: { readonly page: string; readonly post: Post },
): SharedSession {
  const address = { page, source: first.id };
  let source = first;
  // The state as far as it was sent, which is behind the session while an answer streams.
  let state = source.journal.state();
  const log: JournalLog = createJournalLog(source.journal.id, state);
  let answers: WholeAnswers = createWholeAnswers();
  let leave = listen();
  let n = 0;

  function listen(): () => void {
    return source.journal.subscribe((event) => send(answers.add(event)));
  }

  function send(events: readonly AgentEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) {
      if (event.seq !== null) state = apply(state, event);
      log.add(event, state);
    }
    n++;
    post(() => {
      const safe = redactEvents(mergeDeltas(events));
      return { ...address, type: 'events', n, journalId: source.journal.id, events: safe };
    });
  }

  function sendJournals(since: number): void {
    post(() => {
      const { name, journals } = exportTrace(log.read(), { name: source.name }).document;
      return { ...address, type: 'journals', n, name, journals: journals.slice(since) };
    });
  }

  return {
    follow(next) {
      if (next === source) return;
      leave();
      send(answers.end());
      source = next;
      answers = createWholeAnswers();
      state = source.journal.state();
      log.goOn(source.journal.id, state);
      leave = listen();
      n++;
      sendJournals(-1);
    },
    sendAll: () => sendJournals(0),
    end() {
      leave();
      send(answers.end());
      post(() => ({ ...address, type: 'gone' }));
    },
  };
}
