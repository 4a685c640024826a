import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** The error message of a failing call. */
export const noAnswer = 'The store does not answer.';

/**
 * The outcome of one call of a store: it works, is refused, or is done and its answer lost. Or the page dies: before
 * the call, during it, after it, or at once while the call is still done later.
 */
export type StoreFate = {
  readonly fault:
    'none' | 'refused' | 'answer-lost' | 'dies-before' | 'dies-amid' | 'dies-after' | 'done-when-dead';
  readonly delayMs: number;
};

/** A store whose calls follow the given outcomes, repeatedly; its page dies once for each fatal one. */
export type FaultySessions = SessionStore & {
  /** Makes every later call work. */
  readonly heal: () => void;
  /** Kills the page: no call is answered any more; pending ones are done if their outcome allows it. */
  readonly cut: () => void;
  readonly isCut: () => boolean;
};

/** Effects of a dying page on others. */
export type Deaths = {
  /** Called when the page dies. */
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

  return {
    ...store,
    load: (id) => serve(() => store.load(id)),
    takeEpoch: (id, options) => serve(() => store.takeEpoch(id, options)),
    save: (record, options) => serve(() => store.save(record, options)),
    append: (id, written) => serve(() => store.append(id, written)),
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
