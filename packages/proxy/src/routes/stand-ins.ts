/** The time that a conversation stays with the model that answered in the place of another one. */
const stayMs = 5 * 60_000;
/** The most conversations and models that are remembered; the oldest is forgotten. */
const mostKept = 10_000;

/** A model that answers in the place of another one, and the code of the failure that led to it. */
export type StandIn = { readonly model: string; readonly code: string };

/** The models that answer in the place of others, so that a conversation keeps to one model and its cache. */
export type StandIns = ReturnType<typeof createStandIns>;

/** Creates stand-ins without any. @param now Milliseconds; for tests. */
export function createStandIns(now: () => number = () => performance.now()) {
  const kept = new Map<string, StandIn & { readonly until: number }>();
  const keyOf = (conversation: string | null, asked: string): string => JSON.stringify([conversation, asked]);
  return {
    /** The model that answered last in the place of the asked one; null when none did in the last five minutes. */
    of(conversation: string | null, asked: string): StandIn | null {
      const found = kept.get(keyOf(conversation, asked));
      return found !== undefined && found.until > now() ? found : null;
    },
    /** Keeps the model that has answered; the asked one itself is no stand-in. */
    keep(conversation: string | null, asked: string, { model, code }: StandIn): void {
      const key = keyOf(conversation, asked);
      kept.delete(key);
      if (model !== asked) kept.set(key, { model, code, until: now() + stayMs });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    },
  };
}
