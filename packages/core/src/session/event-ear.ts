import type { AgentState } from '../graph/types.ts';
import { callSafely, type Listeners } from '../kit/listeners.ts';
import type { AgentEvent, AgentEventListener } from '../run/events.ts';
import type { SessionSettings } from './agent-session.ts';
import type { Publisher } from './publishing/publisher.ts';
import { retriesAfter } from './machine/retries.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { SessionInput } from './machine/session-input.ts';
import type { SessionModel } from './machine/session-model.ts';

/** Who else hears the events of a session, as they happen. */
export type EventListeners = Listeners<{ readonly event: AgentEvent; readonly state: AgentState }>;

/** Hears the events of a session's journals: what is to be saved, published and told to others. */
export function createEventEar(options: {
  readonly model: () => SessionModel;
  readonly settings: () => SessionSettings;
  readonly post: (input: SessionInput) => void;
  readonly saver: () => SessionSaver;
  readonly publisher: Publisher;
  readonly listeners: EventListeners;
  /** Tells other tabs. */
  readonly tell: (event: AgentEvent) => void;
}): AgentEventListener {
  const { model, settings, post, saver, publisher, listeners, tell } = options;
  return (event, state) => {
    const retrying = retriesAfter(model().retrying, event);
    if (retrying !== model().retrying) post({ type: 'retrying', retrying });
    saver().hear(event, state);
    publisher.touch();
    tell(event);
    listeners.notify({ event, state });
    callSafely(() => settings().onEvent?.(event, state));
  };
}
