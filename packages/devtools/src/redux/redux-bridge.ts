import { AgentState } from '@vitrine/core';
import { type HubSource, maskSecrets, redact } from '@vitrine/core/inspect';
import type { ReduxConnection, ReduxMessage } from './redux-extension.ts';
import { dispatchedState, isPayload, lastState, type Payload, readState } from './told-states.ts';

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
/** The extension keeps as many. */
const kept = 50;

/** Tells the extension of what a session does, without secrets, and does to the session what is asked for there. */
export function reduxBridge(first: HubSource, connection: ReduxConnection): ReduxBridge {
  const base = first.journal.state();
  let source = first;
  let leave = listen();
  let isPaused = false;
  /** While the extension itself changes the state, it is not told of that. */
  let isApplying = false;
  /** The states behind the actions of the extension, which were sent without secrets. */
  let states = new Map<number, AgentState>();
  let next = 0;

  function listen(): () => void {
    return source.journal.subscribe((event, state) => {
      if (isPaused || isApplying || streamed.includes(event.type)) return;
      remember(state);
      const { type, ...rest } = event;
      connection.send({ type: `${source.name}/${type}`, ...(shown(rest) as object) }, documentOf(state));
    });
  }
  function remember(state: AgentState): void {
    states.set(next, state);
    states.delete(next - kept);
    next++;
  }
  function begin(state: AgentState): void {
    states = new Map();
    next = 0;
    remember(state);
    connection.init(documentOf(state));
  }
  async function put(state: AgentState | null): Promise<void> {
    if (state === null) return;
    isApplying = true;
    await restore(source, state);
    isApplying = false;
  }

  const acts: Readonly<Record<string, (payload: Payload, told: string | undefined) => void>> = {
    RESET: () => void put(base).then(() => begin(base)),
    COMMIT: () => begin(source.journal.state()),
    ROLLBACK: (_payload, told) => {
      const state = readState(told);
      if (state) void put(state).then(() => begin(state));
    },
    JUMP_TO_STATE: ({ actionId }, told) => void put(states.get(Number(actionId)) ?? readState(told)),
    JUMP_TO_ACTION: ({ actionId }, told) => void put(states.get(Number(actionId)) ?? readState(told)),
    IMPORT_STATE: ({ nextLiftedState }) => {
      const state = lastState(nextLiftedState);
      if (state) void put(state).then(() => connection.send(null, nextLiftedState));
    },
    PAUSE_RECORDING: ({ status }) => {
      isPaused = typeof status === 'boolean' ? status : !isPaused;
    },
  };
  const leaveExtension = connection.subscribe((message) => {
    const { payload, state } = message as ReduxMessage;
    if (message.type === 'START') return begin(source.journal.state());
    // What somebody types into the dispatcher, as stores of Zustand take it.
    if (message.type === 'ACTION') return void put(dispatchedState(payload));
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

/** A state as it may be shown. */
function documentOf(state: AgentState): unknown {
  return shown(AgentState.toJSON(state));
}

function shown(value: unknown): unknown {
  const text = JSON.stringify(redact(value), (_name, part: unknown) =>
    typeof part === 'string' ? maskSecrets(part) : part,
  );
  return JSON.parse(text);
}
