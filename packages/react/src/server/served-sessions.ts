import { AgentError, systemEnv } from '@vitrine/core';
import type { LinkedId, ServedSessions } from '@vitrine/persist';
import type { ServerRequests } from './server-requests.ts';

/** Creates the calls by which a page moves, renames and deletes sessions of a server. */
export function servedSessions(requests: ServerRequests) {
  const agents = new Map<string, string>();

  /** The address of a session; its agent is looked up where the page has not seen it. */
  async function addressOf(sessionId: string): Promise<LinkedId> {
    const known = agents.get(sessionId);
    if (known !== undefined) return { sessionId, agentName: known };
    for (const { name: agentName } of await requests.agents()) {
      const address = { sessionId, agentName };
      if ((await requests.find(address)) === null) continue;
      agents.set(sessionId, agentName);
      return address;
    }
    throw notFound(sessionId);
  }

  const served: ServedSessions = {
    async check(session) {
      const found = await requests.find(session);
      if (found !== null) throw takenError(session.sessionId, found.status === 'deleted');
    },
    async take(session, moveId, from) {
      // The code that writes a whole session is for the few pages that move one.
      const { writeMovingSession } = await import('./moving.ts');
      await requests.take(session, await writeMovingSession(from, session.sessionId, { moveId }));
    },
    async rename(id, title) {
      const command = { type: 'rename', id: systemEnv.id(), title };
      const { error } = await requests.awaitAnswerTo(await addressOf(id), command);
      if (error !== null) throw new AgentError('session-storage', error.message);
    },
    remove: async (id) => void (await requests.remove(await addressOf(id))),
    restore: async (id) => void (await requests.restore(await addressOf(id))),
    async past(id) {
      const past = await requests.past(await addressOf(id));
      // Only an open panel asks for it.
      return (await import('./moving.ts')).readStoredPast(past);
    },
  };
  return {
    served,
    /** Notes the agent of a session, which its address needs. */
    note: ({ sessionId, agentName }: LinkedId): void => void agents.set(sessionId, agentName),
  };
}

function notFound(id: string): AgentError {
  const message = `The server has no session ${JSON.stringify(id)} for you.`;
  return new AgentError('session-not-found', message, { data: { id, retryable: false } });
}

function takenError(id: string, isDeleted: boolean): AgentError {
  const what = isDeleted ? 'A deleted session' : 'A session';
  const message = `${what} has the id ${JSON.stringify(id)} on the server already, so this one stays here. Fork it to move a copy.`;
  return new AgentError('session-conflict', message, { data: { id, retryable: false } });
}
