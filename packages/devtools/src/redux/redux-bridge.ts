import type { AgentState } from '@vitrine/core';
import type { HubSource } from '@vitrine/inspect';
import { createSentStates, shownDocument, shownValue } from './sent-states.ts';

/** A message of the extension: that it was opened or closed, or a request. */
type ReduxMessage = {
  readonly type: string;
  readonly payload?: unknown;
  /** A state that was sent before, as JSON. */
  readonly state?: string;
};

/** One instance in the extension. */
export type ReduxConnection = {
  readonly init: (state: unknown) => void;
  readonly send: (action: { readonly type: string } | null, state: unknown) => void;
  readonly subscribe: (listener: (message: ReduxMessage) => void) => (() => void) | undefined;
  readonly unsubscribe?: () => void;
  /** Shows a message to the person. */
  readonly error?: (message: string) => void;
};

/** The connection of one session to the extension. */
export type ReduxBridge = {
  /** Continues with the source that replaced the previous one. */
  readonly follow: (source: HubSource) => void;
  readonly end: () => void;
};

/** Streamed events are not sent individually; the next other event carries the resulting state. */
const streamed: readonly string[] = [
  'text-delta',
  'reasoning-delta',
  'tool-call-delta',
  'tool-progress',
  'hook-end',
];

/**
 * Sends the events of a session to the extension without secrets, and performs the extension's requests on the session.
 */
export function reduxBridge(first: HubSource, connection: ReduxConnection, refusal: string): ReduxBridge {
  const base = first.journal.state();
  let source = first;
  let leave = listen();
  let isPaused = false;
  /** Set while the extension changes the state, so that this change is not sent back. */
  let isApplying = false;
  const states = createSentStates(() => source.journal.state());

  function listen(): () => void {
    return source.journal.subscribe((event, state) => {
      if (isPaused || isApplying || streamed.includes(event.type)) return;
      states.add(state);
      const { type, ...rest } = event;
      const action = { type: `${source.name}/${type}`, ...(shownValue(rest) as object) };
      connection.send(action, shownDocument(state));
    });
  }
  function begin(state: AgentState): void {
    states.begin(state);
    connection.init(shownDocument(state));
  }
  async function put(state: AgentState | null): Promise<void> {
    if (state === null) return connection.error?.(refusal);
    isApplying = true;
    await restore(source, state);
    isApplying = false;
  }

  const handlers: Readonly<Record<string, (payload: Payload, sent: string | undefined) => void>> = {
    RESET: () => void put(base).then(() => begin(base)),
    COMMIT: () => begin(source.journal.state()),
    ROLLBACK: (_payload, sent) => {
      const state = states.read(sent);
      void put(state).then(() => state && begin(state));
    },
    JUMP_TO_STATE: ({ actionId }, sent) => void put(states.ofAction(actionId, sent)),
    JUMP_TO_ACTION: ({ actionId }, sent) => void put(states.ofAction(actionId, sent)),
    IMPORT_STATE: ({ nextLiftedState }) => {
      const lifted = liftedState(nextLiftedState);
      const state = lifted && states.read(lifted.document);
      void put(state).then(() => {
        if (state === null || lifted === null) return;
        states.skipTo(lifted.nextActionId);
        connection.send(null, nextLiftedState);
      });
    },
    PAUSE_RECORDING: ({ status }) => {
      isPaused = typeof status === 'boolean' ? status : !isPaused;
    },
  };
  const leaveExtension = connection.subscribe((message) => {
    const { payload, state } = message as ReduxMessage;
    if (message.type === 'START') return begin(source.journal.state());
    // An action that a person types into the dispatcher, in the form that Zustand stores accept.
    if (message.type === 'ACTION') {
      const document = dispatchedDocument(payload);
      return document === null ? undefined : void put(states.read(document));
    }
    if (message.type !== 'DISPATCH' || !isPayload(payload)) return undefined;
    return Object.hasOwn(handlers, payload.type) ? handlers[payload.type]?.(payload, state) : undefined;
  });
  begin(base);
  return {
    follow(other) {
      if (other === source) return;
      leave();
      source = other;
      leave = listen();
    },
    end() {
      leave();
      leaveExtension?.();
      connection.unsubscribe?.();
    },
  };
}

/** Restores messages, plugin data and settings. The agent's id and its execution stay as they are. */
async function restore({ commands }: HubSource, state: AgentState): Promise<void> {
  try {
    await commands?.update((current) => ({
      ...state,
      agentId: current.agentId,
      execution: current.execution,
      executionCount: current.executionCount,
    }));
  } catch {
    // A session that cannot be changed now stays as it is.
  }
}

/** A request of the extension, with its type. */
type Payload = { readonly type: string; readonly [name: string]: unknown };

function isPayload(value: unknown): value is Payload {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

/** The state of an imported history and the number of its next action; null for any other value. */
function liftedState(lifted: unknown): { readonly document: unknown; readonly nextActionId: number } | null {
  const { computedStates, currentStateIndex, nextActionId } = (lifted ?? {}) as {
    computedStates?: unknown;
    currentStateIndex?: unknown;
    nextActionId?: unknown;
  };
  if (!Array.isArray(computedStates)) return null;
  const at = typeof currentStateIndex === 'number' ? currentStateIndex : computedStates.length - 1;
  return {
    document: (computedStates[at] as { state?: unknown } | undefined)?.state,
    nextActionId: typeof nextActionId === 'number' ? nextActionId : computedStates.length,
  };
}

/** The document of a dispatched `{"type": "__setState", "state": …}`; null for any other action. */
function dispatchedDocument(text: unknown): unknown {
  try {
    const action: unknown = JSON.parse(String(text));
    return isPayload(action) && action.type === '__setState' ? action['state'] : null;
  } catch {
    return null;
  }
}
