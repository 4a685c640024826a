import type { AgentState } from '../graph/types.ts';
import { callSafely, createListeners } from '../kit/listeners.ts';
import type { AgentEvent, AgentEventListener, AgentEventType } from '../run/events.ts';
import type { SessionSettings } from './agent-session.ts';
import type { Publisher } from './publisher.ts';
import { retriesAfter } from './retries.ts';
import type { SessionSaver } from './saver.ts';
import type { SessionInput } from './session-input.ts';
import type { SessionModel } from './session-model.ts';

/** Events after which something is worth saving; deltas are not among them. */
const saving: ReadonlySet<AgentEventType> = new Set<AgentEventType>([
  'execution-start',
  'inference-end',
  'approval-request',
  'output-request',
  'tool-start',
  'tool-end',
  'call-settle',
  'step-end',
  'execution-pause',
  'execution-end',
]);

/** Hears the events of a session's journals: what is to be saved, published and told to others. */
export type EventEar = {
  readonly onEvent: AgentEventListener;
  /** Others hear the events as they happen. Returns the function that ends it. */
  readonly add: (listener: AgentEventListener) => () => void;
};

export function createEventEar(options: {
  readonly model: () => SessionModel;
  readonly settings: () => SessionSettings;
  readonly post: (input: SessionInput) => void;
  readonly saver: () => SessionSaver;
  readonly publisher: () => Publisher;
}): EventEar {
  const { model, settings, post, saver, publisher } = options;
  const listeners = createListeners<{ readonly event: AgentEvent; readonly state: AgentState }>();
  return {
    onEvent(event, state) {
      const retrying = retriesAfter(model().retrying, event);
      if (retrying !== model().retrying) post({ type: 'retrying', retrying });
      if (saving.has(event.type)) saver().schedule();
      publisher().touch();
      listeners.notify({ event, state });
      callSafely(() => settings().onEvent?.(event, state));
    },
    add: (listener) => listeners.add(({ event, state }) => listener(event, state)),
  };
}
