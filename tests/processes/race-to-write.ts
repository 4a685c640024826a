import { AgentState, isAgentError, Message, type SessionRecord } from '@vitrine/core';
import { httpSessions } from '@vitrine/persist';

/** The writes of one writer to a session that others write as well. */
export type Written = {
  /** Its messages, in order; each is there, once. */
  readonly texts: readonly string[];
  /** Versions that it was told to have written. */
  readonly versions: readonly number[];
};

/**
 * Puts so many messages at the end of a session that others write too, through a server: after each conflict it reads
 * again, and after an answer that was lost it looks what became of the write.
 */
export async function raceToWrite(
  { url, user, id }: { readonly url: string; readonly user: string; readonly id: string },
  name: string,
  count: number,
): Promise<Written> {
  const store = httpSessions({ url, headers: { 'x-user': user } });
  const texts = Array.from({ length: count }, (_, index) => `${name}:${index}`);
  const versions: number[] = [];
  for (const text of texts) {
    for (let isThere = false; !isThere;) {
      const found = await store.load(id).catch(unlessLost);
      if (found?.kind !== 'there') continue;
      const record = found.session;
      isThere = textsIn(record).includes(text);
      if (isThere) continue;
      const state = AgentState.withUserMessage(record.state, text);
      const version = await store
        .save({ ...record, state }, { expectedVersion: record.version })
        .catch(unlessLost);
      if (version === null) continue;
      versions.push(version);
      isThere = true;
    }
  }
  return { texts, versions };
}

/** The messages of a session, as texts. */
export function textsIn({ state }: SessionRecord): string[] {
  return AgentState.messages(state).map((message) => Message.text(message));
}

function unlessLost(error: unknown): null {
  if (isAgentError(error, 'session-conflict') || isAgentError(error, 'session-storage')) return null;
  throw error;
}
