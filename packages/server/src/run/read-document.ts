import {
  AgentError,
  type AgentDefinition,
  AgentState,
  createAgentSession,
  type SessionStore,
} from '@vitrine/core';
import type { LinkPosition } from '@vitrine/persist/internal/link/link-json';
import type { BusPlace, StoredAt } from './bus-message.ts';
import { createRunnerLink, type RunnerMessage, runnerText, storedIn } from './runner-link.ts';

/** The stored session for a follower. */
export type StoredDocument = {
  /** The stored version. */
  readonly version: number;
  /** Writes the message that the follower lacks, as if a runner of an epoch had sent it. */
  readonly textAt: (place: BusPlace, inspects: boolean) => string;
  /** The stored place; null for a session that is not stored. */
  readonly stored: StoredAt | null;
  /** True when a run of it goes on. */
  readonly isOpen: boolean;
};

/**
 * Reads what a follower at a position lacks of a session that nobody runs here: the records behind its cursor, or the
 * whole session. An open run of a session that is `isAwake` is shown as one that is about to go on.
 */
export async function readMissing(
  agent: AgentDefinition,
  sessionId: string,
  sessions: SessionStore,
  { have, isAwake }: Pick<LinkPosition, 'have'> & { readonly isAwake: boolean },
): Promise<StoredDocument> {
  const messages: RunnerMessage[] = [];
  const link = createRunnerLink((message) => {
    if (message.type === 'document' || message.type === 'records') messages.push(message);
  });
  let version = 0;
  const session = createAgentSession({
    agent,
    sessionId,
    sessions: {
      ...readOnly(sessions),
      tabs: link.tabs,
      async load(id) {
        const load = await sessions.load(id);
        // A fork reads another one.
        if (id === sessionId) link.began(load);
        if (load.kind === 'there') ({ version } = load.session);
        return load;
      },
    },
    resume: false,
  });
  try {
    await session.ready;
    link.greet('reader', { have, seen: null });
    const [message] = messages;
    if (message === undefined) throw new AgentError('session-storage', 'The session cannot be shown.');
    const isOpen = AgentState.status(session.store.getState().state) === 'in-progress';
    const shown = isOpen && isAwake ? goingOn(message) : message;
    return {
      version,
      isOpen,
      stored: storedIn(message) ?? null,
      textAt: ({ epoch, n }, inspects) => runnerText({ ...shown, n } as RunnerMessage, epoch, inspects),
    };
  } finally {
    void session.dispose();
  }
}

function goingOn(message: RunnerMessage): RunnerMessage {
  return 'view' in message
    ? ({ ...message, view: { ...message.view, goesOn: true } } as RunnerMessage)
    : message;
}

/** A store that writes nothing, so that a session over it only shows what is stored. */
function readOnly(store: SessionStore): SessionStore {
  const refuse = async (): Promise<never> => {
    throw new AgentError('session-storage', 'This session is only shown here.');
  };
  return {
    ...store,
    outbox: { put: refuse, take: async () => [], drop: async () => undefined },
    subscribe: () => () => undefined,
    save: refuse,
    takeEpoch: refuse,
    append: refuse,
    remove: refuse,
  };
}
