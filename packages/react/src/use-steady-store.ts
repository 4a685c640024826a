'use client';

import type { SessionStore } from '@vitrine/core';
import { useEffect, useState } from 'react';
import { warnOnce } from './development.ts';
import { attachStore, firstStoreOf } from './registry.ts';

type Held = {
  readonly first: SessionStore | null;
  readonly store: SessionStore | null;
  /** A replacement that must be given twice before it is accepted. */
  readonly candidate: SessionStore | null;
  readonly isUnsteady: boolean;
};

/**
 * Returns a stable store for a component, even when each render creates a new one.
 *
 * React renders again at once when the store changes. If that render gives yet another store, the render
 * itself creates them, and the first one stays. The same holds when a parent creates stores faster than a
 * person could choose them. Of stores for the same place, the first one stays from the start.
 */
export function useSteadyStore(made: SessionStore | null): SessionStore | null {
  const given = made && firstStoreOf(made);
  const [held, setHeld] = useState<Held>({ first: given, store: given, candidate: null, isUnsteady: false });
  const [pace] = useState(createPace);
  const { first, store, isUnsteady } = held;
  if (given !== store && !isUnsteady) setHeld(succeed(held, given));

  useEffect(() => (store === null || made === null ? undefined : attachStore(store, made)), [store, made]);
  useEffect(() => {
    if (isUnsteady && first !== null) warnOnce(first, ({ unsteadyStore }) => unsteadyStore);
  }, [isUnsteady, first]);
  useEffect(
    () => pace(() => setHeld({ first, store: first, candidate: null, isUnsteady: true })),
    [pace, first, store],
  );
  return store;
}

function succeed(held: Held, given: SessionStore | null): Held {
  if (given === null || given === held.candidate) return { ...held, store: given, candidate: null };
  if (held.candidate === null) return { ...held, candidate: given };
  return { ...held, store: held.first, candidate: null, isUnsteady: true };
}

const tooMany = 5;
const withinMs = 1000;

/** Creates a function that calls back when it is called 5 times within a second. */
function createPace(): (onTooFast: () => void) => void {
  let times: readonly number[] = [];
  return (onTooFast) => {
    times = [...times, performance.now()].slice(-tooMany);
    const [oldest = 0] = times;
    if (times.length === tooMany && (times.at(-1) ?? 0) - oldest < withinMs) onTooFast();
  };
}
