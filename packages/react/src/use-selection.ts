'use client';

import type { SessionSnapshot } from '@vitrine/core';
import type { SnapshotStore } from '@vitrine/core/types';
import { useDebugValue, useState, useSyncExternalStore } from 'react';
import { isDevelopment } from '@vitrine/core/internal/kit/freeze';
import { warnOnce } from './development.ts';

declare const process: { env: { NODE_ENV?: string } };

type Select<Value> = (snapshot: SessionSnapshot) => Value;
type Equal<Value> = (a: Value, b: Value) => boolean;

/**
 * Creates a selection, which keeps the same reference while the value is equal. It calls a selector once for each snapshot. A selector that returns a new value
 * each time then renders once a snapshot, and never loops.
 */
function createSelection<Value>() {
  const answers = new WeakMap<Select<Value>, { snapshot: SessionSnapshot; value: Value }>();
  let last: { readonly value: Value } | null = null;

  const selection = {
    read(snapshot: SessionSnapshot, select: Select<Value>, equal: Equal<Value>): Value {
      const answer = answers.get(select);
      if (answer?.snapshot === snapshot) return answer.value;
      const value = select(snapshot);
      if (last === null || !equal(last.value, value)) {
        if (isDevelopment && process.env.NODE_ENV !== 'production' && !equal(value, select(snapshot)))
          warnOnce(selection, ({ unsettledSelector }) => unsettledSelector);
        last = { value };
      }
      answers.set(select, { snapshot, value: last.value });
      return last.value;
    },
  };
  return selection;
}

/**
 * Selects a part of a session's snapshot; the component renders again when the value is no longer equal.
 * `subscribe` may leave out changes of other parts.
 */
export function useSelection<Value>(
  store: SnapshotStore,
  select: Select<Value>,
  equal: Equal<Value>,
  subscribe: (listener: () => void) => () => void = store.subscribe,
): Value {
  const [selection] = useState(() => createSelection<Value>());
  const value = useSyncExternalStore(
    subscribe,
    () => selection.read(store.getState(), select, equal),
    () => selection.read(store.getInitialState(), select, equal),
  );
  useDebugValue(value);
  return value;
}
