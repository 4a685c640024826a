import type { AgentState } from '@vitrine/core';
import type { HubSource } from '@vitrine/core/inspect';
import { dispatchedDocument, isPayload, liftedState, type Payload } from './asked.ts';
import type { ReduxConnection, ReduxMessage } from './redux-extension.ts';
import { shownDocument, shownValue } from './shown-document.ts';
import { createToldStates } from './told-states.ts';

/** One session in the extension. */
export type ReduxBridge = {
  /** Goes on with the source that has taken the place of the one before. */
  readonly follow: (source: HubSource) => void;
  readonly end: () => void;
};

/** What streams is not told one by one; the state that it came to is told with what follows. */
const streamed: readonly string[] = [
  'text-delta',
  'reasoning-delta',
  'tool-call-delta',
  'tool-progress',
  'hook-end',
];
const refusal =
  'This state cannot be taken in: it is none of an agent, or holds values that were taken out as secrets and are not known here.';

/** Tells the extension of what a session does, without secrets, and does to the session what is asked for there. */
export function reduxBridge(first: HubSource, connection: ReduxConnection): ReduxBridge {
  const base = first.journal.state();
  let source = first;
  let leave = listen();
  let isPaused = false;
  /** While the extension itself changes the state, it is not told of that. */
  let isApplying = false;
  const states = createToldStates(() => source.journal.state());

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

  const acts: Readonly<Record<string, (payload: Payload, told: string | undefined) => void>> = {
    RESET: () => void put(base).then(() => begin(base)),
    COMMIT: () => begin(source.journal.state()),
    ROLLBACK: (_payload, told) => {
      const state = states.read(told);
      void put(state).then(() => state && begin(state));
    },
    JUMP_TO_STATE: ({ actionId }, told) => void put(states.ofAction(actionId, told)),
    JUMP_TO_ACTION: ({ actionId }, told) => void put(states.ofAction(actionId, told)),
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
    // What somebody types into the dispatcher, as stores of Zustand take it.
    if (message.type === 'ACTION') {
      const document = dispatchedDocument(payload);
      return document === null ? undefined : void put(states.read(document));
    }
    if (message.type !== 'DISPATCH' || !isPayload(payload)) return undefined;
    return Object.hasOwn(acts, payload.type) ? acts[payload.type]?.(payload, state) : undefined;
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

/** Who it is and what its run has done stays: only what is said, kept and set goes back. */
async function restore({ commands }: HubSource, state: AgentState): Promise<void> {
  try {
    await commands?.update((current) => ({
      ...state,
      agentId: current.agentId,
      execution: current.execution,
      executionCount: current.executionCount,
    }));
  } catch {
    // A session that cannot be changed just then stays as it is.
  }
}
