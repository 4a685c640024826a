import type { StopSignal } from '../../graph/stop-signal.ts';
import { memoize } from '../../kit/memoize.ts';
import type { CallEstimate } from '../estimate-call.ts';
import type { Account } from './account.ts';

/** A call that wants to start. */
export type Waiting = {
  /** The accounts of its agent and of those above. */
  readonly accounts: readonly Account[];
  /** Returns the estimate; called at every try, because sizes become known. */
  readonly estimate: () => CallEstimate;
  /** Starts the call; `release` returns its room. */
  readonly start: (release: () => void) => void;
  /** Refuses the call: a limit is reached, or its lower estimate exceeds the rest. */
  readonly refuse: (signals: readonly StopSignal[]) => void;
};

/** The queue of model calls of a tree of agents. */
export type CallQueue = {
  readonly waiting: readonly Waiting[];
  readonly join: (call: Waiting) => void;
  readonly leave: (call: Waiting) => void;
  /** Starts every call that can start; to be called after room was released. */
  readonly serve: () => void;
};

/** One pass over the queue. */
type Round = {
  /** Accounts in which a call further ahead is short of room. */
  readonly closed: Set<Account>;
  readonly exceeded: (account: Account) => readonly StopSignal[];
};

/**
 * Creates a queue that is first come, first served for each account. A call that is short of room in an
 * account blocks later calls from that account, so that no call waits for ever. Calls that do not need the
 * account pass.
 */
export function createCallQueue(now: () => number): CallQueue {
  let waiting: readonly Waiting[] = [];

  function leave(call: Waiting): void {
    waiting = waiting.filter((other) => other !== call);
  }

  function attempt(call: Waiting, round: Round): void {
    const signals = call.accounts.flatMap(round.exceeded);
    if (signals.length > 0) {
      leave(call);
      return call.refuse(signals);
    }
    const estimate = call.estimate();
    const refused = call.accounts.flatMap((account) => account.refused(estimate, now()));
    if (refused.length > 0) {
      leave(call);
      return call.refuse(refused);
    }
    const short = call.accounts.filter((account) => !account.hasRoomFor(estimate));
    const mustQueue = call.accounts.some((account) => round.closed.has(account));
    for (const account of short) round.closed.add(account);
    if (mustQueue || short.length > 0) return;
    leave(call);
    const releases = call.accounts.map((account) => account.take(estimate));
    call.start(() => releases.forEach((release) => release()));
  }

  function serve(): void {
    // Nothing is spent during a pass, so each account is evaluated once.
    const exceeded = memoize((account: Account) => account.exceeded(now()));
    const round: Round = { closed: new Set(), exceeded };
    for (const call of waiting) attempt(call, round);
  }

  return {
    get waiting() {
      return waiting;
    },
    join(call) {
      waiting = [...waiting, call];
      serve();
    },
    leave(call) {
      leave(call);
      serve();
    },
    serve,
  };
}
