import type { Around, Contribution, Feature, Run, RunSlots, Slots } from './slots.ts';

/** Puts the features of a run into its slots, the first one outermost. */
export function composeSlots(
  features: readonly Feature[],
  run: Run,
  kernel: Pick<RunSlots, 'chooseMessages' | 'askModel' | 'execute'>,
): RunSlots {
  const all = features.map((feature) => feature(run));
  function slotsOf<Name extends keyof Slots>(name: Name): readonly NonNullable<Slots[Name]>[] {
    const found: NonNullable<Slots[Name]>[] = [];
    for (const { [name]: slot } of all) if (slot !== undefined) found.push(slot);
    return found;
  }
  // Looked up once: some of them run with every step and every call.
  const waitsAt = slotsOf('waitsAt');
  const limits = slotsOf('limits');
  const countStep = slotsOf('countStep');
  const acceptsEmpty = slotsOf('acceptsEmpty');
  const resume = slotsOf('resume');
  const settle = slotsOf('settle');
  const contribute = slotsOf('contribute');
  const openers = slotsOf('open');
  return {
    at: inTurn(slotsOf('at')),
    open: openers.length === 0 ? null : inTurn(openers),
    waitsAt: (point, call) => waitsAt.some((waits) => waits(point, call ?? null)),
    limits: (now) => limits.flatMap((reached) => reached(now)),
    countStep: (count) => countStep.forEach((add) => add(count)),
    acceptsEmpty: (step) => acceptsEmpty.some((accepts) => accepts(step)),
    afterStep: inTurn(slotsOf('afterStep')),
    contribute:
      contribute.length === 0
        ? null
        : async () => {
            const all: Contribution[] = [];
            for (const ask of contribute) all.push(...(await ask()));
            return all;
          },
    chooseMessages: compose(slotsOf('aroundMessages'), kernel.chooseMessages),
    askModel: compose(slotsOf('aroundModel'), kernel.askModel),
    resume(batch, call) {
      for (const take of resume) {
        const resumed = take(batch, call);
        if (resumed !== null) return resumed;
      }
      return null;
    },
    validate: gates(slotsOf('validate')),
    approve: gates(slotsOf('approve')),
    delegate: gates(slotsOf('delegate')),
    persist: gates(slotsOf('persist')),
    execute: compose(slotsOf('aroundExecute'), kernel.execute),
    settle: inTurn(settle),
    seesEnds: settle.length > 0,
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

/** Calls all of them, one after the other. */
function inTurn<Args extends readonly unknown[]>(
  all: readonly ((...call: Args) => void | Promise<void>)[],
): (...call: Args) => Promise<void> {
  return async (...call) => {
    for (const see of all) await see(...call);
  };
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
