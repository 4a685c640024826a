import type { Effect, EffectLog, EffectRecords } from '@vitrine/core/internal/run/effect-log';

/** A process that can be killed: after that nothing of it goes on. */
export type MortalProcess = {
  readonly isDead: () => boolean;
  readonly kill: () => void;
  /** Settles like the promise while the process lives, and never after its death. */
  readonly alive: <Value>(promise: Promise<Value>) => Promise<Value>;
  /** The storage as this process reaches it. */
  readonly records: (
    records: EffectRecords,
    onEnd?: (executionId: string, key: string) => void,
  ) => EffectRecords;
  /** The log as this process reaches it. */
  readonly log: (log: EffectLog, watch?: Watch) => EffectLog;
  /** Number of storage operations so far. */
  readonly operations: () => number;
};

/** Called for each call that is made, and for each outcome that is told. */
export type Watch = {
  readonly onCall: (effect: Effect) => void;
  readonly onOutcome: (effect: Effect) => void;
};

/** The storage operation at which a process dies, counted from 1, before it is done or before it is answered. */
export type Death = { readonly at: number; readonly isDone: boolean };

/** Starts a process. */
export function mortalProcess(death: Death | null = null): MortalProcess {
  let isDead = false;
  let operations = 0;
  const kill = (): void => void (isDead = true);

  async function alive<Value>(promise: Promise<Value>): Promise<Value> {
    try {
      const value = await promise;
      return isDead ? await never() : value;
    } catch (thrown) {
      if (isDead) await never();
      throw thrown;
    }
  }

  async function operate<Value>(operation: () => Promise<Value>): Promise<Value> {
    const isLast = ++operations === death?.at;
    if (isLast && !death.isDone) kill();
    if (isDead) return never();
    const done = operation();
    if (isLast) await done.then(kill);
    return alive(done);
  }

  return {
    isDead: () => isDead,
    kill,
    alive,
    operations: () => operations,
    records: ({ read, begin, end, forget }, onEnd = () => undefined) => ({
      read: (...key) => operate(() => read(...key)),
      begin: (...key) => operate(() => begin(...key)),
      end: (executionId, key, outcome, effects) =>
        operate(() => end(executionId, key, outcome, effects).then(() => onEnd(executionId, key))),
      forget: (executionId) => operate(() => forget(executionId)),
    }),
    log: (log, watch) => ({
      async perform(effect, work, signal) {
        const outcome = await alive(
          log.perform(effect, (given) => (watch?.onCall(effect), alive(work(given))), signal),
        );
        watch?.onOutcome(effect);
        return outcome;
      },
      async *stream<Item>(
        effect: Effect,
        work: (signal: AbortSignal) => AsyncIterable<Item>,
        signal: AbortSignal,
      ) {
        async function* source(given: AbortSignal): AsyncGenerator<Item> {
          watch?.onCall(effect);
          yield* whileAlive(work(given));
        }
        yield* whileAlive(log.stream(effect, source, signal));
        watch?.onOutcome(effect);
      },
      forget: log.forget,
    }),
  };

  async function* whileAlive<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    for await (const item of items) {
      if (isDead) await never();
      yield item;
      if (isDead) await never();
    }
    if (isDead) await never();
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
