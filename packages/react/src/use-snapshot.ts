import type { AgentSessionSnapshot } from '@vitrine/core';
import { useStore } from 'zustand';
import type { SessionEntry } from './session-registry.ts';

/** A part of the session's snapshot; the component renders again when that part changes. */
export function useSnapshot<Value>(
  entry: SessionEntry,
  selector: (snapshot: AgentSessionSnapshot) => Value,
): Value {
  return useStore(entry.store, selector);
}
