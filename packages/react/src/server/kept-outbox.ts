import { AgentError } from '@vitrine/core';
import type { OutboxCommand, SessionOutbox } from '@vitrine/core/stores';

/** The outbox of a page, by the person who is signed in, so that nobody gives the commands of another. */
export type KeptOutbox = SessionOutbox & {
  /** The person whose commands are kept now, as the server names it; null before the first contact with the server. */
  readonly person: () => string | null;
  /** The person who gave a command: the one whose commands were kept then, or are kept now. */
  readonly giverOf: (id: string, commandId: string) => string | null;
  /** Notes who is signed in, as the server said when a session reached it. */
  readonly setPerson: (person: string, id: string) => void;
  /** Notes that a session asks the server who is signed in: what is put meanwhile belongs to that person. */
  readonly asks: (id: string) => void;
  /** Notes that the server did not say it, so what was put belongs to the person before. */
  readonly asksInVain: (id: string) => void;
};

/**
 * The commands of this page that a server has not acknowledged, in `localStorage`, so that what was sent offline is given
 * after a reload. Those of a session that reaches the server for the first time belong to whoever is signed in then. Where the page has no storage,
 * or it is full, they are in memory, and `put` rejects: no later page will find them.
 */
export function keptOutbox(url: string): KeptOutbox {
  const { get, set, keys } = createKeptTexts();
  const keyOfPerson = `vitrine:server:${url}:person`;

  /** The persons of this page, the present one last. Another page may be another's, so only the first is read. */
  const persons: string[] = [];
  /** The commands of sessions that ask who is signed in. */
  const asking = new Map<string, Set<string>>();

  const read = (key: string): readonly OutboxCommand[] => commandsIn(get(key) ?? '[]');
  const write = (key: string, commands: readonly OutboxCommand[]): boolean =>
    set(key, commands.length === 0 ? null : JSON.stringify(commands));
  const keyOf = (id: string, of: string | null): string => `vitrine:server:${url}:${of ?? ''}:${id}`;

  /** Adds commands behind those of a key. @returns false when only the memory of this page has them */
  function add(key: string, commands: readonly OutboxCommand[]): boolean {
    const ids = new Set(commands.map(({ id }) => id));
    return write(key, [...read(key).filter(({ id }) => !ids.has(id)), ...commands]);
  }

  /** Gives a person what was put before anybody was known. A page that is closed meanwhile has it twice, not never. */
  function adopt(next: string): void {
    const nobodys = keyOf('', null);
    for (const key of keys()) {
      if (!key.startsWith(nobodys)) continue;
      if (add(keyOf(key.slice(nobodys.length), next), read(key))) set(key, null);
    }
  }

  /** Gives a person what a session put while it asked who that is. It was kept under the person before. */
  function handOver(id: string, before: string, next: string): void {
    const ids = asking.get(id);
    if (ids === undefined || ids.size === 0) return;
    const all = read(keyOf(id, before));
    const theirs = all.filter((known) => ids.has(known.id));
    const left = all.filter((known) => !ids.has(known.id));
    if (theirs.length > 0 && add(keyOf(id, next), theirs)) write(keyOf(id, before), left);
  }

  function person(): string | null {
    const known = persons.at(-1) ?? get(keyOfPerson);
    if (known !== null && persons.length === 0) persons.push(known);
    return known;
  }

  return {
    person,
    setPerson(next, id) {
      adopt(next);
      const before = person();
      if (before !== null && before !== next) handOver(id, before, next);
      asking.delete(id);
      if (before === next) return;
      persons.push(next);
      set(keyOfPerson, next);
    },
    asks: (id) => void asking.set(id, new Set()),
    asksInVain: (id) => void asking.delete(id),
    async put(id, command) {
      asking.get(id)?.add(command.id);
      if (add(keyOf(id, person()), [command])) return;
      throw new AgentError('session-storage', noRoom, { data: { id } });
    },
    giverOf(id, commandId) {
      const isKept = (of: string): boolean => read(keyOf(id, of)).some((known) => known.id === commandId);
      return persons.findLast(isKept) ?? person();
    },
    take: async (id) => read(keyOf(id, person())),
    async drop(id, commandIds) {
      // Another page may have found out meanwhile whose they are.
      for (const of of new Set([null, person(), ...persons])) {
        const before = read(keyOf(id, of));
        const left = before.filter((known) => !commandIds.includes(known.id));
        if (left.length < before.length) write(keyOf(id, of), left);
      }
    },
  };
}

const noRoom =
  'The browser has no room for what is sent offline. It is given while this page is open, and lost when it is closed before.';

/** Texts in `localStorage`, or in memory where it takes none. */
type KeptTexts = {
  readonly get: (key: string) => string | null;
  /** @returns false when only the memory of this page has it */
  readonly set: (key: string, text: string | null) => boolean;
  readonly keys: () => readonly string[];
};

function createKeptTexts(): KeptTexts {
  const memory = new Map<string, string>();

  function get(key: string): string | null {
    try {
      return memory.get(key) ?? storage()?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  function set(key: string, text: string | null): boolean {
    memory.delete(key);
    try {
      const kept = storage();
      if (text === null) kept?.removeItem(key);
      else if (kept !== null) kept.setItem(key, text);
      if (text === null || kept !== null) return true;
    } catch {
      // It is full, or may not be written.
    }
    if (text !== null) memory.set(key, text);
    return false;
  }

  return { get, set, keys: () => [...memory.keys(), ...keysOf(storage())] };
}

function commandsIn(text: string): readonly OutboxCommand[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? (found as OutboxCommand[]) : [];
  } catch {
    return [];
  }
}

/** The keys of a storage; none where it may not be read. */
function keysOf(kept: Storage | null): readonly string[] {
  try {
    return Array.from({ length: kept?.length ?? 0 }, (_, at) => kept?.key(at) ?? '');
  } catch {
    return [];
  }
}

/** The storage of the page; null where there is none, or where reading it is forbidden. */
function storage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
