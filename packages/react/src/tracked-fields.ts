import type { AgentSession, SessionSnapshot } from '@vitrine/core';
import { type AgentCommands, agentCommandNames } from './commands.ts';
import { type AgentFields, fields } from './fields.ts';

/** What `useAgent` returns: the fields as getters, and the commands. */
export type TrackedFields = AgentFields & AgentCommands;

type Name = keyof AgentFields;
type Pinned = {
  snapshot: SessionSnapshot;
  /** What was read of it in rendering: what the component depends on. */
  readonly read: Map<Name, unknown>;
  readonly result: TrackedFields;
};

/** Which fields one component reads while it renders, and the object that it reads them from. */
export type FieldTracker = {
  /** The object; another one when a field that was read in rendering has another value. */
  readonly current: () => TrackedFields;
  /** The object as the server had it; the same one while no field that was read has another value. */
  readonly initial: () => TrackedFields;
  /** Rendering begins: what is read from now on is depended on. */
  readonly open: () => void;
  /** The render was committed: what is read from now on, in handlers and effects, is the present value. */
  readonly close: () => void;
};

/** Reads belong to the object, not to the render: a compiled component that sees the same object does not read again. */
export function createFieldTracker(session: AgentSession): FieldTracker {
  const { store } = session;
  const select = (name: Name, snapshot: SessionSnapshot): unknown =>
    fields[name].select(snapshot, session.settings().agent);
  let isOpen = true;
  const initial = pin(store.getInitialState());
  let current = initial;

  function pin(snapshot: SessionSnapshot): Pinned {
    const result = Object.fromEntries(agentCommandNames.map((name) => [name, session[name]]));
    const pinned: Pinned = { snapshot, read: new Map(), result: result as unknown as TrackedFields };
    for (const name of Object.keys(fields) as Name[])
      Object.defineProperty(result, name, { enumerable: true, get: () => read(pinned, name) });
    return pinned;
  }

  function read(pinned: Pinned, name: Name): unknown {
    if (!isOpen) return select(name, store.getState());
    if (!pinned.read.has(name)) pinned.read.set(name, select(name, pinned.snapshot));
    return pinned.read.get(name);
  }

  function isUnchanged({ read: known }: Pinned, snapshot: SessionSnapshot): boolean {
    for (const [name, value] of known) {
      const equal: (a: never, b: never) => boolean = fields[name].equal ?? Object.is;
      if (!equal(value as never, select(name, snapshot) as never)) return false;
    }
    return true;
  }

  return {
    initial: () => initial.result,
    current() {
      const snapshot = store.getState();
      if (current.snapshot === snapshot) return current.result;
      if (isUnchanged(current, snapshot)) current.snapshot = snapshot;
      else current = pin(snapshot);
      return current.result;
    },
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
    },
  };
}
