import type { StopSignal } from '../graph/stop-signal.ts';
import type { Around, Feature, Run, RunSlots, Slots } from './slots.ts';

/** Puts the features of a run into its slots, the first one outermost. */
export function composeSlots(
  features: readonly Feature[],
  run: Run,
  kernel: Pick<RunSlots, 'askModel' | 'execute'>,
): RunSlots {
  const all = features.map((feature) => feature(run));
  function of<Name extends keyof Slots>(name: Name): readonly NonNullable<Slots[Name]>[] {
    const found: NonNullable<Slots[Name]>[] = [];
    for (const { [name]: slot } of all) if (slot !== undefined) found.push(slot);
    return found;
  }
  const [points, places, limits, counters] = [of('at'), of('waitsAt'), of('limits'), of('countStep')];
  const [empties, steps, resumers, ends] = [of('acceptsEmpty'), of('afterStep'), of('resume'), of('settle')];
  return {
    async at(point, errors) {
      for (const see of points) await see(point, errors);
    },
    waitsAt(point, call) {
      for (const waits of places) if (waits(point, call ?? null)) return true;
      return false;
    },
    limits(now) {
      const signals: StopSignal[] = [];
      for (const reached of limits) signals.push(...reached(now));
      return signals;
    },
    countStep(count) {
      for (const counter of counters) counter(count);
    },
    acceptsEmpty: (step) => empties.some((accepts) => accepts(step)),
    async afterStep() {
      for (const see of steps) await see();
    },
    askModel: compose(of('aroundModel'), kernel.askModel),
    resume(batch, call) {
      for (const resume of resumers) {
        const resumed = resume(batch, call);
        if (resumed !== null) return resumed;
      }
      return null;
    },
    validate: gates(of('validate')),
    approve: gates(of('approve')),
    delegate: gates(of('delegate')),
    persist: gates(of('persist')),
    execute: compose(of('aroundExecute'), kernel.execute),
    async settle(batch, call) {
      for (const see of ends) await see(batch, call);
    },
    seesEnds: ends.length > 0,
  };
}

/** Puts layers around a function, the first one outermost. */
function compose<Call, Result>(
  layers: readonly Around<Call, Result>[],
  core: (call: Call) => Promise<Result>,
): (call: Call) => Promise<Result> {
  return layers.reduceRight<(call: Call) => Promise<Result>>(
    (next, layer) => (call) => layer(call, next),
    core,
  );
}

/** One gate that is open when all are, asked one after the other. */
function gates<Args extends readonly unknown[]>(
  all: readonly ((...call: Args) => boolean | Promise<boolean>)[],
): (...call: Args) => Promise<boolean> {
  return async (...call) => {
    for (const gate of all) if (!(await gate(...call))) return false;
    return true;
  };
}
