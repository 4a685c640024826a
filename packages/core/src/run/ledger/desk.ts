import type { StopSignal } from '../../graph/stop-signal.ts';
import { memoize } from '../../kit/memoize.ts';
import type { CallEstimate } from '../estimate-call.ts';
import type { Account } from './account.ts';

/** A call that wants to start. */
export type Waiting = {
  /** Its own account and those above. */
  readonly accounts: readonly Account[];
  /** Asked again at every try, because sizes become known. */
  readonly estimate: () => CallEstimate;
  /** It has its room now; `release` gives that back. */
  readonly start: (release: () => void) => void;
  /** A limit is reached: it will never start. */
  readonly refuse: (signals: readonly StopSignal[]) => void;
};

/** Where the calls of a tree of agents queue. */
export type Desk = {
  readonly waiting: readonly Waiting[];
  readonly join: (call: Waiting) => void;
  readonly leave: (call: Waiting) => void;
  /** Lets go whoever can go; to be called when room was given back. */
  readonly serve: () => void;
};

/** One time of serving everybody. */
type Round = {
  /** Accounts that somebody further ahead is short of. */
  readonly closed: Set<Account>;
  readonly exceeded: (account: Account) => readonly StopSignal[];
};

/**
 * First come, first served, account by account: who is short of room in an account keeps those behind him from taking
 * more of it, so that nobody waits for ever, while calls that do not need that account pass.
 */
export function createDesk(now: () => number): Desk {
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
    const short = call.accounts.filter((account) => !account.hasRoomFor(estimate));
    const mustQueue = call.accounts.some((account) => round.closed.has(account));
    for (const account of short) round.closed.add(account);
    if (mustQueue || short.length > 0) return;
    leave(call);
    const releases = call.accounts.map((account) => account.take(estimate));
    call.start(() => releases.forEach((release) => release()));
  }

  function serve(): void {
    // Nothing is spent while it serves, so that each account is asked once.
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
