import type { SessionSnapshot } from '@vitrine/core';
import { complainOnce, isDevelopment } from './development.ts';

export type Select<Value> = (snapshot: SessionSnapshot) => Value;
export type Equal<Value> = (a: Value, b: Value) => boolean;

/** What one component has selected: the same reference for as long as the value is equal. */
export type Selection<Value> = {
  readonly read: (snapshot: SessionSnapshot, select: Select<Value>, equal: Equal<Value>) => Value;
};

/**
 * One selector is asked once about one snapshot, so that one that gives another value each time makes its component
 * render once for each snapshot, and never in a loop.
 */
export function createSelection<Value>(): Selection<Value> {
  const answers = new WeakMap<Select<Value>, { snapshot: SessionSnapshot; value: Value }>();
  let last: { readonly value: Value } | null = null;

  const selection: Selection<Value> = {
    read(snapshot, select, equal) {
      const answer = answers.get(select);
      if (answer?.snapshot === snapshot) return answer.value;
      const value = select(snapshot);
      if (last === null || !equal(last.value, value)) {
        if (isDevelopment && !equal(value, select(snapshot)))
          complainOnce(selection, ({ unsettledSelector }) => unsettledSelector);
        last = { value };
      }
      answers.set(select, { snapshot, value: last.value });
      return last.value;
    },
  };
  return selection;
}
