'use client';

import type { SessionStore } from '@vitrine/core';
import { useEffect, useState } from 'react';
import { complainOnce } from './development.ts';

type Held = {
  readonly first: SessionStore | null;
  readonly store: SessionStore | null;
  /** One that came in its place, and has to come twice. */
  readonly candidate: SessionStore | null;
  readonly isUnsteady: boolean;
};

/**
 * The store that a component is given. When another one comes, React renders the component again at once: a store that
 * is another one even then is made by the render itself, and the first stays. So it does when a parent makes them faster
 * than a person could choose them.
 */
export function useSteadyStore(given: SessionStore | null): SessionStore | null {
  const [held, setHeld] = useState<Held>({ first: given, store: given, candidate: null, isUnsteady: false });
  const [pace] = useState(createPace);
  const { first, store, isUnsteady } = held;
  if (given !== store && !isUnsteady) setHeld(succeed(held, given));

  useEffect(() => {
    if (isUnsteady && first !== null) complainOnce(first, ({ unsteadyStore }) => unsteadyStore);
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

/** Calls back when it is asked too often in a short time. */
function createPace(): (onTooFast: () => void) => void {
  let times: readonly number[] = [];
  return (onTooFast) => {
    times = [...times, performance.now()].slice(-tooMany);
    const [oldest = 0] = times;
    if (times.length === tooMany && (times.at(-1) ?? 0) - oldest < withinMs) onTooFast();
  };
}
