import type { OutboxCommand, SessionOutbox } from '@vitrine/core/stores';

/**
 * The commands of this page that a server has not acknowledged, in `localStorage`, so that what was sent offline is given
 * after a reload. Where the page has no storage, or it is full, they are in memory.
 */
export function keptOutbox(url: string): SessionOutbox {
  const memory = new Map<string, string>();

  function read(id: string): readonly OutboxCommand[] {
    try {
      const text = memory.get(id) ?? storage()?.getItem(keyOf(id)) ?? '[]';
      const found: unknown = JSON.parse(text);
      return Array.isArray(found) ? (found as OutboxCommand[]) : [];
    } catch {
      return [];
    }
  }

  function write(id: string, commands: readonly OutboxCommand[]): void {
    const text = JSON.stringify(commands);
    memory.delete(id);
    try {
      const kept = storage();
      if (commands.length === 0) kept?.removeItem(keyOf(id));
      else if (kept === null) memory.set(id, text);
      else kept.setItem(keyOf(id), text);
    } catch {
      memory.set(id, text);
    }
  }

  const keyOf = (id: string): string => `vitrine:server:${url}:${id}`;
  return {
    async put(id, command) {
      write(id, [...read(id).filter((known) => known.id !== command.id), command]);
    },
    take: async (id) => read(id),
    async drop(id, commandIds) {
      const before = read(id);
      const left = before.filter((known) => !commandIds.includes(known.id));
      if (left.length < before.length) write(id, left);
    },
  };
}

/** The storage of the page; null where there is none, or where reading it is forbidden. */
function storage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
