'use client';

import type { AgentDefinition, AgentSession, SessionSnapshot } from '@vitrine/core';
import { useDebugValue, useInsertionEffect, useMemo, useSyncExternalStore } from 'react';
import { noteErrorReader } from '../development.ts';
import { agentCommandNames, type AgentCommands } from '../commands.ts';
import { type AgentFields, fields } from '../fields.ts';
import { type SessionSource, type UseAgentOptions, useSharedSession } from '../use-shared-session.ts';

/** The result of `useAgent`: a flat object with the data of a session, typed by its agent, and its commands. */
export interface UseAgentResult<Agent extends AgentDefinition = AgentDefinition>
  extends AgentFields<Agent>, AgentCommands<Agent> {}

const none: UseAgentOptions = {};

/**
 * Connects a component to an agent: its conversation, its status and its commands.
 *
 * The component renders again only for the fields that it reads while rendering. Handlers and effects read
 * the current value and subscribe to nothing. The functions keep their identity for the session's life.
 * @example
 * const { messages, status, sendMessage, stop } = useAgent(assistant, { sessionId });
 */
export function useAgent<Agent extends AgentDefinition>(
  agent: Agent,
  options?: UseAgentOptions,
): UseAgentResult<Agent>;
export function useAgent(ready: SessionSource): UseAgentResult;
export function useAgent(
  source: AgentDefinition | SessionSource,
  options: UseAgentOptions = none,
): UseAgentResult {
  const session = useSharedSession(source, options);
  const tracker = useMemo(() => createFieldTracker(session), [session]);
  const result = useSyncExternalStore(session.store.subscribe, tracker.current, tracker.initial);
  tracker.open();
  // Runs before any layout effect, so that reads in effects do not subscribe, like those in handlers.
  useInsertionEffect(() => tracker.close());
  useDebugValue(session.store, (store) => store.getState());
  return result as UseAgentResult;
}

type TrackedFields = AgentFields & AgentCommands;

type Name = keyof AgentFields;
type Pinned = {
  snapshot: SessionSnapshot;
  /** The values read while rendering: the dependencies of the component. */
  readonly read: Map<Name, unknown>;
  readonly result: TrackedFields;
};

/**
 * Tracks the fields that one component reads while it renders, and provides the object that it reads. Dependencies belong to the object and not to the render, because a compiled
 * component that gets the same object does not read it again.
 */
function createFieldTracker(session: AgentSession) {
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
    if (name === 'error') noteErrorReader(store);
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
    /** The result object of the server snapshot. */
    initial: (): TrackedFields => initial.result,
    /** The result object; a new one when a field that was read while rendering has changed. */
    current(): TrackedFields {
      const snapshot = store.getState();
      if (current.snapshot === snapshot) return current.result;
      if (isUnchanged(current, snapshot)) current.snapshot = snapshot;
      else current = pin(snapshot);
      return current.result;
    },
    /** Starts a render: fields read from now on become dependencies. */
    open(): void {
      isOpen = true;
    },
    /** Ends a render after its commit: reads in handlers and effects return the current value. */
    close(): void {
      isOpen = false;
    },
  };
}
