import { type Foreign, foreign } from '@vitrine/inspect/internal/foreign/foreign-values';

/** The facts that tell where a run begins among the events of its thread. */
export type RunPlace = {
  /**
   * The number of the last event before the server's answer to the command that began the run
   * (`meta.applied_through_seq`); null when the server does not tell it.
   */
  readonly answeredAt: number | null;
  /** True when another run of the thread may still tell its events, before those of this one. */
  readonly isBehindOther: boolean;
};

/**
 * Takes the events of a thread of LangGraph in order and gives those of one run, from the first behind its beginning.
 * Servers of LangGraph.js tell the beginning before they answer the command, and with the status that the run has when
 * they tell it: `running`, or `completed` and `failed` for a run that was fast. It is not its end. Behind the answer a run
 * begins with `running` or `started`, or behind the end of the other one.
 */
export function runFilter({
  answeredAt,
  isBehindOther,
}: RunPlace): (event: {
  readonly [field: string]: unknown;
}) => readonly { readonly [field: string]: unknown }[] {
  const last = answeredAt ?? -1;
  let held: Foreign[] = [];
  let hasBegun = false;

  /** The events of the run among those before the answer. */
  function release(): readonly Foreign[] {
    const before = held;
    held = [];
    const beginning = before.findLastIndex((event) => rootLifecycle(event) !== null);
    hasBegun = beginning >= 0 || !isBehindOther;
    return hasBegun ? before.slice(beginning + 1) : [];
  }

  function takeBehind(event: Foreign): readonly Foreign[] {
    if (hasBegun) return [event];
    hasBegun = rootLifecycle(event) !== null;
    return [];
  }

  return (event) => {
    if (hasBegun) return [event];
    const { seq } = event;
    const number = typeof seq === 'number' ? seq : Infinity;
    if (number <= last) held.push(event);
    const released = number < last ? [] : release();
    return number <= last ? released : [...released, ...takeBehind(event)];
  };
}

/** The name of an event of the whole run of a thread, e.g. `running`; null for other events. */
export function rootLifecycle({ method, params }: Foreign): string | null {
  const { namespace, data } = foreign(params);
  const { event } = foreign(data);
  const isRoot = method === 'lifecycle' && Array.isArray(namespace) && namespace.length === 0;
  return isRoot && typeof event === 'string' ? event : null;
}
