import { type InferenceLog, type InferenceLogOptions, startInference } from './inference-log.ts';

/** The inferences of one proxy: those that run, and for a while those that are over. */
export type Inferences = {
  /** Starts one under an id of its own. */
  readonly start: (
    init: Pick<InferenceLogOptions, 'client' | 'request' | 'ownerId' | 'onOver'>,
  ) => InferenceLog;
  /** One of this principal's; another's is not there for it. */
  readonly get: (id: string, ownerId: string) => InferenceLog | undefined;
};

/** In milliseconds. */
export type InferencesOptions = {
  readonly firstEventTimeoutMs?: number;
  readonly eventTimeoutMs?: number;
  readonly resumeGraceMs?: number;
  readonly keepFinishedMs?: number;
};

/** Finished streams that are kept at most, so that memory stays bounded. */
const maxKept = 200;

/** No inference yet. */
export function createInferences(options: InferencesOptions): Inferences {
  const {
    resumeGraceMs = 0,
    keepFinishedMs = 120_000,
    firstEventTimeoutMs = 60_000,
    eventTimeoutMs = 60_000,
  } = options;
  const known = new Map<string, InferenceLog>();

  function keepForAWhile(id: string): void {
    const timer: unknown = setTimeout(() => known.delete(id), keepFinishedMs);
    (timer as { unref?: () => void }).unref?.();
    if (known.size <= maxKept) return;
    const oldest = [...known.values()].find((inference) => inference.isOver());
    if (oldest) known.delete(oldest.id);
  }

  return {
    start({ onOver, ...init }) {
      const id = crypto.randomUUID();
      const inference = startInference({
        ...init,
        id,
        firstEventTimeoutMs,
        eventTimeoutMs,
        resumeGraceMs,
        onOver(last) {
          keepForAWhile(id);
          onOver(last);
        },
      });
      known.set(id, inference);
      return inference;
    },
    get(id, ownerId) {
      const inference = known.get(id);
      return inference?.ownerId === ownerId ? inference : undefined;
    },
  };
}
