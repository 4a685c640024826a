import type { SessionStore } from '../session/stores/session-store.ts';

/** What a use that fails says. */
export const noAnswer = 'The store does not answer.';

/**
 * What becomes of one use of a store: it works, nothing is done, it is done and nobody hears of it, or the page dies:
 * before it is done, in the middle of it, when it is done, or at once while it is done all the same, later.
 */
export type StoreFate = {
  readonly fault:
    'none' | 'refused' | 'answer-lost' | 'dies-before' | 'dies-amid' | 'dies-after' | 'done-when-dead';
  readonly delayMs: number;
};

/** A store that fails as it is told, use by use, over and over; its page dies once of each use that is its death. */
export type FaultySessions = SessionStore & {
  /** From now on it works at once. */
  readonly heal: () => void;
  /** Its page is gone: nothing is answered any more; what was under way is done if its fate lets it be. */
  readonly cut: () => void;
  readonly isCut: () => boolean;
};

/** What a page that dies does to others. */
export type Deaths = {
  /** The page is gone. */
  readonly onDeath: () => void;
  /** Runs work of which only a part reaches the store. */
  readonly amid: (work: () => Promise<unknown>) => Promise<void>;
};

export function faultySessions(
  store: SessionStore,
  fates: readonly StoreFate[],
  sleep: (ms: number) => Promise<void>,
  deaths?: Deaths,
): FaultySessions {
  let uses = 0;
  let [isHealed, isCut] = [false, false];
  const works: StoreFate = { fault: 'none', delayMs: 0 };
  const never = new Promise<never>(() => undefined);

  function die(): void {
    isCut = true;
    deaths?.onDeath();
  }

  async function serve<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isCut) return never;
    const { fault, delayMs } = (isHealed ? null : fates[uses++ % fates.length]) ?? works;
    const isLost = fault === 'answer-lost';
    if (fault === 'done-when-dead') die();
    if (delayMs > 0) await sleep(delayMs / 2);
    if (fault === 'done-when-dead') await work().catch(() => undefined);
    if (isCut && !isLost) return never;
    if (fault === 'refused') return refuse();
    if (fault === 'dies-amid') await deaths?.amid(work);
    if (fault === 'dies-before' || fault === 'dies-amid') die();
    if (isCut && !isLost) return never;
    const value = await work();
    if (delayMs > 0) await sleep(delayMs / 2);
    if (fault === 'dies-after' && !isCut) die();
    if (isCut) return never;
    return isLost ? refuse() : value;
  }

  const { append } = store;
  return {
    ...store,
    load: (id) => serve(() => store.load(id)),
    save: (record, options) => serve(() => store.save(record, options)),
    ...(append === undefined ? {} : { append: (id, written) => serve(() => append(id, written)) }),
    heal() {
      isHealed = true;
    },
    cut() {
      isCut = true;
    },
    isCut: () => isCut,
  };
}

function refuse(): never {
  throw new Error(noAnswer);
}
