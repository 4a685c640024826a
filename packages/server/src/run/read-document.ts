import {
  AgentError,
  type AgentDefinition,
  AgentState,
  createAgentSession,
  type SessionStore,
} from '@vitrine/core';
import type { BusPlace } from './bus-message.ts';
import { createRunnerLink, type RunnerMessage, runnerText } from './runner-link.ts';

/** The stored session as a follower gets it, its position, and whether a run of it goes on. */
export type StoredDocument = { readonly at: BusPlace; readonly data: string; readonly isOpen: boolean };

/**
 * Reads the document of a session that nobody runs. The number of its epoch lies after the last one and before the next,
 * so a follower takes it after the messages of the last runner and leaves it for those of the next. Its number is the
 * stored version, so a follower that has it needs it no more.
 */
export async function readDocument(
  agent: AgentDefinition,
  sessionId: string,
  sessions: SessionStore,
  lastEpoch: number,
): Promise<StoredDocument> {
  const documents: RunnerMessage[] = [];
  const link = createRunnerLink((message) => {
    if (message.type === 'document') documents.push(message);
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
        if (load.kind === 'there') ({ version } = load.session);
        return load;
      },
    },
    resume: false,
  });
  try {
    await session.ready;
    link.give({ type: 'hello', id: 'reader', have: null, seen: null });
    const [document] = documents;
    if (document === undefined) throw new AgentError('session-storage', 'The session cannot be shown.');
    const { state } = session.store.getState();
    const at = { epoch: lastEpoch + 0.5, n: version + 1 };
    const data = runnerText({ ...document, n: at.n } as RunnerMessage, at.epoch);
    return { at, data, isOpen: AgentState.status(state) === 'in-progress' };
  } finally {
    void session.dispose();
  }
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
