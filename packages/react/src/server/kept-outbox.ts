import type { OutboxCommand, SessionOutbox } from '@vitrine/core/stores';

/** The outbox of a page, by the person who is signed in, so that nobody gives the commands of another. */
export type KeptOutbox = SessionOutbox & {
  /** The person whose commands are kept now, as the server names it; null before the first contact with the server. */
  readonly person: () => string | null;
  /** Notes who is signed in. */
  readonly setPerson: (person: string) => void;
};

/**
 * The commands of this page that a server has not acknowledged, in `localStorage`, so that what was sent offline is given
 * after a reload. Where the page has no storage, or it is full, they are in memory.
 */
export function keptOutbox(url: string): KeptOutbox {
  const memory = new Map<string, string>();
  const keyOfPerson = `vitrine:server:${url}:person`;

  /** The persons of this page, the present one last. Another page may be another's, so only the first is read. */
  const persons: string[] = [];

  function get(key: string): string | null {
    try {
      return memory.get(key) ?? storage()?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  function set(key: string, text: string | null): void {
    memory.delete(key);
    try {
      const kept = storage();
      if (text === null) kept?.removeItem(key);
      else if (kept === null) memory.set(key, text);
      else kept.setItem(key, text);
    } catch {
      if (text !== null) memory.set(key, text);
    }
  }

  function read(key: string): readonly OutboxCommand[] {
    try {
      const found: unknown = JSON.parse(get(key) ?? '[]');
      return Array.isArray(found) ? (found as OutboxCommand[]) : [];
    } catch {
      return [];
    }
  }

  const write = (key: string, commands: readonly OutboxCommand[]): void =>
    set(key, commands.length === 0 ? null : JSON.stringify(commands));
  const keyOf = (id: string, of: string | null): string => `vitrine:server:${url}:${of ?? ''}:${id}`;

  function person(): string | null {
    const known = persons.at(-1) ?? get(keyOfPerson);
    if (known !== null && persons.length === 0) persons.push(known);
    return known;
  }

  return {
    person,
    setPerson(next) {
      if (person() === next) return;
      persons.push(next);
      set(keyOfPerson, next);
    },
    async put(id, command) {
      const key = keyOf(id, person());
      write(key, [...read(key).filter((known) => known.id !== command.id), command]);
    },
    take: async (id) => read(keyOf(id, person())),
    async drop(id, commandIds) {
      // Before the first contact nobody knew whose they are.
      for (const of of new Set([null, ...persons])) {
        const before = read(keyOf(id, of));
        const left = before.filter((known) => !commandIds.includes(known.id));
        if (left.length < before.length) write(keyOf(id, of), left);
      }
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
