import type { HubSource } from '../../session/hub.ts';
import { apply } from '../../run/apply.ts';
import type { AgentEvent } from '../../run/events.ts';
import { mergeDeltas } from '../../run/merge-deltas.ts';
import { createJournalLog, type JournalLog } from '../journal-log.ts';
import { redactEvents } from '../trace/redact-journal.ts';
import { exportTrace } from '../trace/trace.ts';
import type { ToldMessage } from './remote-message.ts';
import { createWholeAnswers, type WholeAnswers } from './whole-answers.ts';

/** Posts what is made only where somebody listens. */
type Post = (make: () => ToldMessage) => void;

/** A session of this page as others are told of it. */
export type ToldSession = {
  /** The source that has taken the place of the one before. */
  readonly follow: (source: HubSource) => void;
  /** Tells everything, to who has nothing or has missed something. */
  readonly tellAll: () => void;
  readonly end: () => void;
};

export function tellSession(
  first: HubSource,
  { page, post }: { readonly page: string; readonly post: Post },
): ToldSession {
  const address = { page, source: first.id };
  let source = first;
  // As far as it was told, which is behind the session while an answer comes.
  let state = source.journal.state();
  const log: JournalLog = createJournalLog(source.journal.id, state);
  let answers: WholeAnswers = createWholeAnswers();
  let leave = listen();
  let n = 0;

  function listen(): () => void {
    return source.journal.subscribe((event) => tell(answers.add(event)));
  }

  function tell(events: readonly AgentEvent[]): void {
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

  function tellJournals(since: number): void {
    post(() => {
      const { name, journals } = exportTrace(log.read(), { name: source.name }).document;
      return { ...address, type: 'journals', n, name, journals: journals.slice(since) };
    });
  }

  return {
    follow(next) {
      if (next === source) return;
      leave();
      tell(answers.end());
      source = next;
      answers = createWholeAnswers();
      state = source.journal.state();
      log.goOn(source.journal.id, state);
      leave = listen();
      n++;
      tellJournals(-1);
    },
    tellAll: () => tellJournals(0),
    end() {
      leave();
      tell(answers.end());
      post(() => ({ ...address, type: 'gone' }));
    },
  };
}
