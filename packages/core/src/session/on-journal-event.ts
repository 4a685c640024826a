import type { AgentState } from '../graph/types.ts';
import { callSafely, type Listeners } from '../kit/listeners.ts';
import type { AgentEvent, AgentEventListener } from '../run/events.ts';
import type { SessionSettings } from './agent-session.ts';
import type { Publisher } from './publishing/publisher.ts';
import { retriesAfter } from './machine/retries.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { SessionInput } from './machine/session-input.ts';
import type { SessionModel } from './machine/session-model.ts';

/** The listeners of a session's events. */
export type EventListeners = Listeners<{ readonly event: AgentEvent; readonly state: AgentState }>;

/**
 * Creates the listener of a session's journals. It saves and publishes events and passes them to other tabs.
 */
export function onJournalEvent(options: {
  readonly model: () => SessionModel;
  readonly settings: () => SessionSettings;
  readonly post: (input: SessionInput) => void;
  readonly saver: () => SessionSaver;
  readonly publisher: Publisher;
  readonly listeners: EventListeners;
  /** Publishes an event to other tabs. */
  readonly tell: (event: AgentEvent) => void;
}): AgentEventListener {
  const { model, settings, post, saver, publisher, listeners, tell } = options;
  return (event, state) => {
    const retrying = retriesAfter(model().retrying, event);
    if (retrying !== model().retrying) post({ type: 'retrying', retrying });
    if (event.type === 'section-change' && event.erased !== undefined && event.path.length === 0)
      post({ type: 'texts-erased', ids: event.erased, state });
    saver().hear(event, state);
    publisher.touch();
    tell(event);
    listeners.notify({ event, state });
    callSafely(() => settings().onEvent?.(event, state));
  };
}
