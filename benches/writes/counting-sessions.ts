import { AgentState, type SessionRecord, type SessionStore } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';

/** A store that counts its writes as JSON. */
export type CountingSessions = SessionStore & {
  /** Returns the bytes of all writes since the last call. */
  readonly take: () => number;
};

/** Everything of a session that a plain store must write; shared objects of the state count once. */
export function sizeOf({ state, checkpoints, branches, ...head }: SessionRecord): number {
  const refers = checkpoints.map(({ messageId, plugins }) => ({ messageId, plugins }));
  const left = branches.map((branch) => AgentState.toJSON(branch.state));
  return bytesOf({ ...head, state: AgentState.toJSON(state), refers, left });
}

export function countingSessions(): CountingSessions {
  const store = memorySessions();
  const { append } = store;
  let bytes = 0;
  if (append === undefined) throw new Error('The store in memory takes no events');
  return {
    ...store,
    save(record, options) {
      bytes += sizeOf(record) + bytesOf(options.newRuns ?? []);
      return store.save(record, options);
    },
    append(id, written) {
      const { expectedVersion: _expected, ...record } = written;
      bytes += bytesOf(record);
      return append(id, written);
    },
    take() {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
  };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
