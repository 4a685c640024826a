import type { SessionStore } from '../session/stores/session-store.ts';

/** What a use that fails says. */
export const noAnswer = 'The store does not answer.';

/** What becomes of one use of a store: it works, nothing is done, or it is done and nobody hears of it. */
export type StoreFate = { readonly fault: 'none' | 'refused' | 'answer-lost'; readonly delayMs: number };

/** A store that fails as it is told, use by use, over and over. */
export type FaultySessions = SessionStore & {
  /** From now on it works at once. */
  readonly heal: () => void;
  /** Its page is gone: nothing is answered any more; what was under way is done if its fate lets it be. */
  readonly cut: () => void;
  readonly isCut: () => boolean;
};

export function faultySessions(
  store: SessionStore,
  fates: readonly StoreFate[],
  sleep: (ms: number) => Promise<void>,
): FaultySessions {
  let uses = 0;
  let [isHealed, isCut] = [false, false];
  const works: StoreFate = { fault: 'none', delayMs: 0 };
  const never = new Promise<never>(() => undefined);

  async function serve<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isCut) return never;
    const { fault, delayMs } = (isHealed ? null : fates[uses++ % fates.length]) ?? works;
    const isLost = fault === 'answer-lost';
    if (delayMs > 0) await sleep(delayMs / 2);
    if (fault === 'refused' || (isCut && !isLost)) return isCut ? never : refuse();
    const value = await work();
    if (delayMs > 0) await sleep(delayMs / 2);
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
