import type { Env } from '../../graph/env.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { storeLimitMs } from '../replies.ts';
import type { SessionStore } from '../stores/session-store.ts';

/** A store that answers each operation of a writer within its time limit. */
export type AnsweringStore = {
  readonly store: SessionStore;
  /** True while an operation has no answer behind its time limit. Its outcome is not known. */
  readonly isSilent: () => boolean;
};

/** The most operations that wait for an answer behind their time limit; beyond it the store is asked no more. */
const mostUnanswered = 8;

/** Gives the operations of a writer a time limit. */
export function answeringStore(sessions: SessionStore, env: Env): AnsweringStore {
  const unanswered = new Set<Promise<unknown>>();

  const limited =
    <Args extends readonly unknown[], Value>(operation: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      if (unanswered.size >= mostUnanswered) throw slow();
      const asked = operation(...args);
      const known = asked.catch(() => undefined).finally(() => unanswered.delete(known));
      return answered(env, asked, () => void unanswered.add(known));
    };

  const store: SessionStore = {
    ...sessions,
    load: limited((id) => sessions.load(id)),
    save: limited((...written) => sessions.save(...written)),
    takeEpoch: limited((...taken) => sessions.takeEpoch(...taken)),
    ...(sessions.append === undefined
      ? {}
      : { append: limited((...written) => sessions.append!(...written)) }),
  };
  return { store, isSilent: () => unanswered.size > 0 };
}

/**
 * Waits for the answer of a store. @throws AgentError `session-storage` when it has not come within 10 s
 */
export function answered<Value>(
  { schedule }: Env,
  asked: Promise<Value>,
  onSlow: () => void = () => undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = schedule(storeLimitMs, () => {
      onSlow();
      reject(slow());
    });
    void asked.then(resolve, reject).finally(cancel);
  });
}

/** The error of a store that does not answer. */
export function slow(): AgentError {
  const message =
    `The store of this session has not answered for ${storeLimitMs / 1000} s. The session keeps waiting. ` +
    'Check that no other tab of this page hangs and that the device is online.';
  return new AgentError('session-storage', message, { data: { retryable: true } });
}
