import { AgentError } from '@vitrine/core';
import type { OutboxCommand, SessionOutbox } from '@vitrine/persist';

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
  const asking = new Map<string, Set<string>>();

  /** A row is one command, under `…:session:order:command`. No part holds a colon, so no person and no session has the rows of another. */
  const rowsOf = (who: string | null): string => `vitrine:server:${url}:${encodeURIComponent(who ?? '')}:`;
  const rowsIn = (id: string, owner: string | null): string => `${rowsOf(owner)}${encodeURIComponent(id)}:`;
  const rows = (start: string): readonly string[] => keys().filter((key) => key.startsWith(start));

  /** Adds a command, as its text, behind those of a session. @returns false when only the memory of this page has it */
  function add(start: string, commandId: string, text: string): boolean {
    const known = rows(start);
    const last = Number(known.at(-1)?.slice(start.length).split(':')[0] ?? 0);
    const next = `${start}${String(last + 1).padStart(10, '0')}:${encodeURIComponent(commandId)}`;
    return set(known.find((key) => isOf(key, commandId)) ?? next, text);
  }

  /** Gives a row to a person. A page that is closed meanwhile has it twice, not never. */
  function give(key: string, before: string | null, next: string): void {
    const [id = '', , commandId = ''] = key.slice(rowsOf(before).length).split(':');
    const text = get(key);
    if (text === null) return;
    if (add(`${rowsOf(next)}${id}:`, decodeURIComponent(commandId), text)) set(key, null);
  }

  /** Gives a person what was put before anybody was known. */
  function adopt(next: string): void {
    for (const key of rows(rowsOf(null))) give(key, null, next);
  }

  /** Gives a person what a session put while it asked who that is. It was kept under the person before. */
  function handOver(id: string, before: string, next: string): void {
    const ids = [...(asking.get(id) ?? [])];
    if (ids.length === 0) return;
    for (const key of rows(rowsIn(id, before)))
      if (ids.some((commandId) => isOf(key, commandId))) give(key, before, next);
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
      if (add(rowsIn(id, person()), command.id, JSON.stringify(command))) return;
      throw new AgentError('session-storage', noRoom, { data: { id } });
    },
    giverOf(id, commandId) {
      const isKept = (owner: string): boolean => rows(rowsIn(id, owner)).some((key) => isOf(key, commandId));
      return persons.findLast(isKept) ?? person();
    },
    take: async (id) => rows(rowsIn(id, person())).flatMap((key) => commandIn(get(key))),
    async drop(id, commandIds) {
      // Another page may have found out meanwhile whose they are.
      for (const owner of new Set([null, person(), ...persons]))
        for (const key of rows(rowsIn(id, owner)))
          if (commandIds.some((commandId) => isOf(key, commandId))) set(key, null);
    },
  };
}

const noRoom =
  'The browser has no room for what is sent offline. It is given while this page is open, and lost when it is closed before.';

function createKeptTexts() {
  const memory = new Map<string, string>();

  function get(key: string): string | null {
    try {
      return memory.get(key) ?? storage()?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  /** @returns false when only the memory of this page has it */
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

  const keys = (): readonly string[] => [...new Set([...memory.keys(), ...keysOf(storage())])].sort();
  return { get, set, keys };
}

function isOf(key: string, commandId: string): boolean {
  return key.endsWith(`:${encodeURIComponent(commandId)}`);
}

/** The command of a row; none where another wrote the row, or took it meanwhile. */
function commandIn(text: string | null): readonly OutboxCommand[] {
  try {
    const found: unknown = JSON.parse(text ?? 'null');
    return typeof found === 'object' && found !== null ? [found as OutboxCommand] : [];
  } catch {
    return [];
  }
}

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
