import { systemEnv } from '@vitrine/core/internal/graph/env';
import { AgentError, isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { assertSessionId } from '@vitrine/core/internal/kit/ids';
import { withItem } from '@vitrine/core/internal/kit/memoize';
import {
  type OutboxCommand,
  type SessionOutbox,
  removedSession,
} from '@vitrine/core/internal/session/store/session-outbox';
import { type OutboxData, readOutbox, readVacancy } from './head-shape.ts';
import { outboxId } from './rows-by-id.ts';
import { createRowReader } from './row-reader.ts';
import type { RowStorage, StoredHead } from './row-storage.ts';
import { sealedText } from './head.ts';
import { attempts } from './session-conflict.ts';
import { readNaming, unwritable } from './store-errors.ts';
import { longRow, openLongList } from './head-rows.ts';
import { sessionFormat } from './format.ts';

/** The outboxes of a storage. Each is a head whose text holds the commands, or that names one row with them. */
export function rowOutbox(storage: RowStorage): SessionOutbox {
  const read = (id: string): Promise<{ stored: StoredHead | null; commands: readonly OutboxCommand[] }> =>
    readNaming(id, async () => {
      const found = await storage.read(outboxId(id));
      if (found === null) return { stored: null, commands: [] };
      const { text, records, rows } = found;
      const { commands, row } = readOutbox(outboxId(id), found);
      const long = row === undefined ? null : openLongList(row, createRowReader(rows));
      return { stored: { text, records }, commands: (long as typeof commands | null) ?? commands };
    });

  async function change(
    id: string,
    changed: (commands: readonly OutboxCommand[]) => readonly OutboxCommand[],
  ): Promise<void> {
    assertSessionId(id);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { stored, commands } = await read(id);
      const next = changed(commands);
      if (next === commands || (await write(id, stored, next))) return;
    }
    throw new AgentError(
      'session-storage',
      `The outbox of session ${JSON.stringify(id)} is busy. Try again.`,
      { data: { id, retryable: true } },
    );
  }

  async function write(
    id: string,
    expected: StoredHead | null,
    commands: readonly OutboxCommand[],
  ): Promise<boolean> {
    const own = outboxId(id);
    try {
      if (commands.length === 0) return expected === null || (await storage.remove(own, expected));
      const at = Math.round(systemEnv.now());
      const long = longRow(commands);
      const held = long === null ? { commands } : { commands: [], row: long.name };
      const data: OutboxData = { format: sessionFormat, stamp: systemEnv.id(), outbox: { id, at, ...held } };
      const put = new Map(long === null ? [] : [[long.name, long.text ?? '']]);
      return await storage.write(own, { expected, head: sealedText(data), put, drop: 'rest', blobs: [] });
    } catch (thrown) {
      throw unwritable(id, thrown);
    }
  }

  return {
    async put(id, command) {
      await assertNotRemoved(storage, id);
      await change(id, (commands) => {
        const at = commands.findIndex((entry) => entry.id === command.id);
        return withItem(commands, at === -1 ? commands.length : at, command);
      });
      try {
        await assertNotRemoved(storage, id);
      } catch (thrown) {
        // The session was removed between the two checks; a removal leaves no text.
        if (isAgentError(thrown, 'session-deleted')) await storage.remove(outboxId(id));
        throw thrown;
      }
    },
    take: async (id) => (await read(id)).commands,
    drop: (id, commandIds) =>
      change(id, (commands) => {
        const left = commands.filter((command) => !commandIds.includes(command.id));
        return left.length === commands.length ? commands : left;
      }),
  };
}

/**
 * Checks that a session was not removed. @throws AgentError `session-deleted` when it was, so that no text of
 * it is stored
 */
async function assertNotRemoved(storage: RowStorage, id: string): Promise<void> {
  const stored = await readNaming(id, () => storage.head(id));
  if (stored === null || readVacancy(id, stored)?.removedAt == null) return;
  throw removedSession(id);
}
