'use client';

import type { SnapshotStore } from '@vitrine/core/types';
import { useDebugValue, useState, useSyncExternalStore } from 'react';
import { createSelection, type Equal, type Select } from './selection.ts';

/**
 * Selects a part of a session's snapshot; the component renders again when the value is no longer equal.
 */
export function useSelection<Value>(store: SnapshotStore, select: Select<Value>, equal: Equal<Value>): Value {
  const [selection] = useState(() => createSelection<Value>());
  const value = useSyncExternalStore(
    store.subscribe,
    () => selection.read(store.getState(), select, equal),
    () => selection.read(store.getInitialState(), select, equal),
  );
  useDebugValue(value);
  return value;
}
