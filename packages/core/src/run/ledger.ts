import { AgentStopError } from '../graph/agent-stop-error.ts';
import { type Env, systemEnv, type Timestamp } from '../graph/env.ts';
import type { ExecutionBudget, Spent } from '../graph/limits/limits.ts';
import { highest, type StopSignal } from '../graph/stop-signal.ts';
import type { Usage } from '../graph/usage.ts';
import { callSafely } from '../kit/listeners.ts';
import type { CallEstimate } from './estimate-call.ts';
import { type Account, createAccount, type Held } from './ledger/account.ts';
import { createDesk, type Desk, type Waiting } from './ledger/desk.ts';

/** Room that one model call has. */
export type Hold = {
  /**
   * Gives the room back, the moment that the call has ended: in the same tick as, and after, the commit that makes its
   * usage part of what is spent. Null when it used nothing that is known (it failed or was aborted). Once counts.
   */
  readonly settle: (usage: Usage | null) => void;
};

/** What an agent and the agents above it have room for. */
export type Ledger = {
  /**
   * Waits until the call has room here and in every ledger above. It starts at once when it fits beside what is spent
   * and held; one that would exceed a limit starts when nothing else is held there and the limit is not reached. Who
   * came first goes first. Steps and seconds are not held.
   * @param estimate See `estimateCall`. A function is asked at every try, because sizes become known while it waits.
   * @throws AgentStopError of the limit, here or above, that is reached; the signal's reason when it is aborted.
   */
  readonly hold: (estimate: CallEstimate | (() => CallEstimate), signal: AbortSignal) => Promise<Hold>;
  /** False when nothing limits tokens or money here or above: `hold` then costs nothing and asks no estimate. */
  readonly isLimited: boolean;
  /** Signals of the limits of tokens and money that are reached here or above. */
  readonly exceeded: (now: Timestamp) => StopSignal[];
  /** Output tokens of the largest answer that was settled in the tree; null before the first. */
  readonly largestOutput: () => number | null;
  /** For the ledgers below. */
  readonly tree: Tree;
};

type Tree = {
  /** The accounts that a call takes room in, its own first. */
  readonly accounts: readonly Account[];
  readonly desk: Desk;
  readonly sizes: { largestOutput: number | null };
};

export type LedgerOptions = {
  readonly budget: ExecutionBudget;
  /** What is spent by now, running subagents included: `spentOf(state, env.now())`. Usage counts from `inference-end`. */
  readonly spent: () => Spent;
  /** Of the agent that called this one. */
  readonly parent?: Ledger | null;
  /** The largest answer before, when a run is taken up again. */
  readonly largestOutput?: number | null;
  /** A call has to wait: what the others hold where it is short. */
  readonly onWait?: (held: Held) => void;
  readonly env?: Env;
};

const freeHold: Hold = { settle: () => undefined };
const free: Promise<Hold> = /* @__PURE__ */ Promise.resolve(freeHold);

/** The ledger of one run, below that of the agent that called it. */
export function createLedger(options: LedgerOptions): Ledger {
  const { parent = null, env = systemEnv } = options;
  const own = createAccount(options.budget, options.spent);
  const above = parent?.tree.accounts ?? [];
  const tree: Tree = {
    accounts: own === null ? above : [own, ...above],
    desk: parent?.tree.desk ?? createDesk(() => env.now()),
    sizes: parent?.tree.sizes ?? { largestOutput: null },
  };
  noteOutput(tree, options.largestOutput ?? null);
  return {
    tree,
    isLimited: tree.accounts.length > 0,
    exceeded: (now) => tree.accounts.flatMap((account) => account.exceeded(now)),
    largestOutput: () => tree.sizes.largestOutput,
    hold(estimate, signal) {
      if (tree.accounts.length === 0) return free;
      return queueUp(tree, estimate, signal, options.onWait);
    },
  };
}

function queueUp(
  tree: Tree,
  estimate: CallEstimate | (() => CallEstimate),
  signal: AbortSignal,
  onWait: LedgerOptions['onWait'],
): Promise<Hold> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const done = (): void => signal.removeEventListener('abort', onAbort);
    const call: Waiting = {
      accounts: tree.accounts,
      estimate: typeof estimate === 'function' ? estimate : () => estimate,
      start(release) {
        done();
        resolve(holdOf(tree, release));
      },
      refuse(signals) {
        done();
        reject(new AgentStopError(highest(signals) ?? undefined));
      },
    };
    const onAbort = (): void => {
      done();
      tree.desk.leave(call);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    tree.desk.join(call);
    if (tree.desk.waiting.includes(call)) callSafely(() => onWait?.(heldAgainst(call)));
  });
}

/** What others hold where the call is short; where it only queues behind others, what they hold in its own account. */
function heldAgainst({ accounts, estimate }: Waiting): Held {
  const size = estimate();
  const short = accounts.find((account) => !account.hasRoomFor(size));
  return (short ?? accounts[0])?.held() ?? { tokens: 0, cost: 0 };
}

function holdOf(tree: Tree, release: () => void): Hold {
  let isSettled = false;
  return {
    settle(usage) {
      if (isSettled) return;
      isSettled = true;
      release();
      noteOutput(tree, usage?.outputTokens ?? null);
      tree.desk.serve();
    },
  };
}

function noteOutput({ sizes }: Tree, outputTokens: number | null): void {
  if (outputTokens !== null) sizes.largestOutput = Math.max(sizes.largestOutput ?? 0, outputTokens);
}
