import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { type Message, text } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { readRecord } from '../writer/plan-write.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionRecord, SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** The messages of one branch. */
export type StoredLine = readonly (Pick<Message, 'role'> & { readonly said: string })[];

/** The stored content of a session, its forks and its outbox. */
export type StoredLines = {
  /** The active branch. */
  readonly active: StoredLine;
  /** The inactive branches of the session. */
  readonly branches: readonly StoredLine[];
  /** The waiting texts in the stored queue and in the outbox. */
  readonly waiting: readonly string[];
  /** The branches of the forks, by the ids of their sessions. */
  readonly forks: ReadonlyMap<string, readonly StoredLine[]>;
};

export async function linesIn(store: SessionStore): Promise<StoredLines> {
  const record = loadedSession(await store.load('a'));
  const commands = (await store.outbox.take('a')) as readonly {
    readonly id: string;
    readonly message?: { readonly text?: string };
  }[];
  const [active = [], ...branches] = record === null ? [] : linesOf(record);
  const said = new Set(record === null ? [] : messages(readRecord(record).live.state).map(({ id }) => id));
  const queue = (record?.queue ?? []).filter(({ id }) => !said.has(id)).map((entry) => entry.text);
  const { sessions } = await store.list();
  const forks = new Map<string, readonly StoredLine[]>();
  for (const { id, parentId } of sessions) {
    const fork = parentId === 'a' ? loadedSession(await store.load(id)) : null;
    if (fork !== null) forks.set(id, linesOf(fork));
  }
  return {
    active,
    branches,
    waiting: [
      ...queue,
      ...commands
        // A command whose id or message is stored was done and only remains to be dropped.
        .filter(({ id }) => record?.taken?.includes(id) !== true && !said.has(id))
        .flatMap(({ message }) => message?.text ?? []),
    ],
    forks,
  };
}

/** The branches of a record, the active one first. */
function linesOf(record: SessionRecord): readonly StoredLine[] {
  return [readRecord(record).live.state, ...record.branches.map(({ state }) => state)].map(lineOf);
}

function lineOf(state: AgentState): StoredLine {
  return messages(state).map((message) => ({ role: message.role, said: text(message) }));
}
