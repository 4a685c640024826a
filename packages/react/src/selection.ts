import type { SessionSnapshot } from '@vitrine/core';
import { warnOnce, isDevelopment } from './development.ts';

export type Select<Value> = (snapshot: SessionSnapshot) => Value;
export type Equal<Value> = (a: Value, b: Value) => boolean;

/** The selected value of one component; keeps the same reference while the value is equal. */
export type Selection<Value> = {
  readonly read: (snapshot: SessionSnapshot, select: Select<Value>, equal: Equal<Value>) => Value;
};

/**
 * Creates a selection that calls a selector once for each snapshot. A selector that returns a new value
 * each time then renders once a snapshot, and never loops.
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
          warnOnce(selection, ({ unsettledSelector }) => unsettledSelector);
        last = { value };
      }
      answers.set(select, { snapshot, value: last.value });
      return last.value;
    },
  };
  return selection;
}
