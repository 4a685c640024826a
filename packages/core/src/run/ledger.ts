import { type Timestamp, type Env, systemEnv } from '../graph/env.ts';
import { type BudgetSource, exceededOf, refusals, unlimited } from '../graph/execution-budget.ts';
import type { ExecutionBudget, Spent, SessionBudget } from '../graph/limits.ts';
import { type StopSignal, highest, of as signalOf } from '../graph/stop-signal.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import { fromMillionths, toMillionths } from '../kit/numbers.ts';
import type { CallEstimate } from './estimate-call.ts';
import { memoize } from '../kit/memoize.ts';
import type { SpentBefore } from '../graph/types.ts';
import type { Usage } from '../graph/usage.ts';
import { callSafely } from '../kit/listeners.ts';

/** Tokens and money that calls in flight have reserved, in the currency of the prices. */
export type Held = { readonly tokens: number; readonly cost: number };

/** The spending of one budget, and the room that calls in flight hold in it, subagents included. */
export type Account = NonNullable<ReturnType<typeof createAccount>>;

/** Creates the account of a budget; null when the budget limits neither tokens nor money. */
function createAccount(
  budget: ExecutionBudget,
  spending: () => Spent,
  source: BudgetSource = 'budget',
  isStrict = false,
) {
  const { maxTokens, maxCost } = budget;
  if (maxTokens === null && maxCost === null) return null;
  const limited: ExecutionBudget = { ...unlimited(), maxTokens, maxCost };
  let calls = 0;
  let tokens = 0;
  let millionths = 0;

  function roomFor(): { tokens: number; millionths: number } {
    const now = spending();
    return {
      tokens: (maxTokens ?? Infinity) - now.tokens - tokens,
      millionths: (maxCost === null ? Infinity : toMillionths(maxCost)) - toMillionths(now.cost) - millionths,
    };
  }

  return {
    stopSignals: (now: Timestamp): StopSignal[] => exceededOf(source, limited, spending(), now),
    /** The signals of the limits whose rest is below the lower estimate of a call. */
    signalsFor(estimate: CallEstimate, now: Timestamp): StopSignal[] {
      const { tokens, cost, least } = estimate;
      // An unknown amount is more than any rest.
      const atLeast = isStrict ? { tokens: tokens ?? Infinity, cost: cost ?? Infinity } : least;
      return atLeast === undefined ? [] : refusals(source, limited, spending(), atLeast, now);
    },
    /** True when a call has room beside the others. A call that runs alone always has room. */
    hasRoomFor(estimate: CallEstimate): boolean {
      if (calls === 0) return true;
      const room = roomFor();
      const hasTokens = maxTokens === null || (estimate.tokens ?? Infinity) <= room.tokens;
      return hasTokens && (maxCost === null || upToMillionths(estimate.cost ?? Infinity) <= room.millionths);
    },
    /** Reserves room and returns the function that releases it. An unknown size reserves all that is left. */
    take(estimate: CallEstimate): () => void {
      const room = roomFor();
      const taken = {
        tokens: maxTokens === null ? 0 : (estimate.tokens ?? Math.max(0, room.tokens)),
        millionths:
          maxCost === null
            ? 0
            : estimate.cost === null
              ? Math.max(0, room.millionths)
              : upToMillionths(estimate.cost),
      };
      calls += 1;
      tokens += taken.tokens;
      millionths += taken.millionths;
      return () => {
        calls -= 1;
        tokens -= taken.tokens;
        millionths -= taken.millionths;
      };
    },
    heldRoom: (): Held => ({ tokens, cost: fromMillionths(millionths) }),
    /** True when the budget limits money. */
    limitsCost: maxCost !== null,
  };
}

/** Rounds an amount up to millionths; the subtraction keeps a rounding error of a product from adding one. */
function upToMillionths(amount: number): number {
  return Math.ceil(amount * 1_000_000 - 1e-6);
}

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
export type CallQueue = ReturnType<typeof createCallQueue>;

/** One pass over the queue. */
type Round = {
  /** Accounts in which a call further ahead is short of room. */
  readonly closed: Set<Account>;
  readonly stopSignals: (account: Account) => readonly StopSignal[];
};

/**
 * Creates a queue that is first come, first served for each account. A call that is short of room in an account blocks
 * later calls from that account, so that no call waits for ever. Calls that do not need the account pass.
 */
export function createCallQueue(now: () => number) {
  let waiting: readonly Waiting[] = [];

  function leave(call: Waiting): void {
    waiting = waiting.filter((other) => other !== call);
  }

  function attempt(call: Waiting, round: Round): void {
    const signals = call.accounts.flatMap(round.stopSignals);
    if (signals.length > 0) {
      leave(call);
      return call.refuse(signals);
    }
    const estimate = call.estimate();
    const refused = call.accounts.flatMap((account) => account.signalsFor(estimate, now()));
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

  /** Starts every call that can start; to be called after room was released. */
  function serve(): void {
    // Nothing is spent during a pass, so each account is evaluated once.
    const stopSignals = memoize((account: Account) => account.stopSignals(now()));
    const round: Round = { closed: new Set(), stopSignals };
    for (const call of waiting) attempt(call, round);
  }

  return {
    get waiting(): readonly Waiting[] {
      return waiting;
    },
    join(call: Waiting): void {
      waiting = [...waiting, call];
      serve();
    },
    leave(call: Waiting): void {
      leave(call);
      serve();
    },
    serve,
  };
}

/** The room of one model call. */
export type Hold = {
  /**
   * Returns the room once the call has ended: in the same tick as the commit that adds its usage to the
   * spending, and after it. Pass null when the usage is unknown. Repeated calls have no effect.
   */
  readonly settle: (usage: Usage | null) => void;
};

/** The budget of an agent and of the agents above it. */
export type Ledger = ReturnType<typeof createLedger>;

type Tree = {
  /** The accounts in which a call takes room, its own first. */
  readonly accounts: readonly Account[];
  readonly queue: CallQueue;
  readonly sizes: { largestOutput: number | null; tokensPerByte: number | null };
  /** The step counts of this agent with all below it, then those of every agent above. */
  readonly steps: readonly StepCount[];
};

type StepCount = { readonly limit: number | null; taken: number };

export type LedgerOptions = {
  readonly budget: ExecutionBudget;
  /** Returns the current spending: `spentOf(state, env.now())`. Usage counts from `inference-end`. */
  readonly spending: () => Spent;
  /** The budget of all runs of the session together. Default: no limit. */
  readonly sessionBudget?: SessionBudget;
  /** Returns the spending of all runs of the session; see `sessionSpent`. */
  readonly sessionSpent?: () => SpentBefore;
  /** Step limit of the agent and all below it together. Default: no limit. */
  readonly maxTotalSteps?: number | null;
  /** Steps taken before, for a resumed run. */
  readonly stepsTaken?: number;
  /** The ledger of the calling agent. */
  readonly parent?: { readonly tree: Tree } | null;
  /** Output tokens of the largest earlier answer, for a resumed run. */
  readonly largestOutput?: number | null;
  /**
   * True to refuse every call that might spend more than what is left, so that the limit is never exceeded. A call
   * without an output limit or a price is refused too. Default: a call that runs alone may exceed it.
   */
  readonly isStrict?: boolean;
  /** Called when a call has to wait, with the amounts that other calls hold. */
  readonly onWait?: (held: Held) => void;
  readonly env?: Env;
};

const freeHold: Hold = { settle: () => undefined };
const free: Promise<Hold> = /* @__PURE__ */ Promise.resolve(freeHold);

/** Creates the ledger of one run below that of the calling agent. */
export function createLedger(options: LedgerOptions) {
  const { parent = null, env = systemEnv, maxTotalSteps: limit = null, stepsTaken: taken = 0 } = options;
  const own = [
    createAccount(options.budget, options.spending, 'budget', options.isStrict),
    sessionAccount(options),
  ];
  const tree: Tree = {
    accounts: [...own.filter((account) => account !== null), ...(parent?.tree.accounts ?? [])],
    queue: parent?.tree.queue ?? createCallQueue(() => env.now()),
    sizes: parent?.tree.sizes ?? { largestOutput: null, tokensPerByte: null },
    steps: [{ limit, taken }, ...(parent?.tree.steps ?? [])],
  };
  noteOutput(tree, options.largestOutput ?? null);
  return {
    /** The shared part of the ledgers of a tree; internal. */
    tree,
    /** False when nothing limits tokens or money here or above. `hold` then costs nothing and calls no estimate. */
    isLimited: tree.accounts.length > 0,
    /** True when money is limited here or above. */
    limitsCost: tree.accounts.some((account) => account.limitsCost),
    /** The signals of all reached limits of tokens, money and steps, here and above. */
    stopSignals: (now: Timestamp): StopSignal[] => [
      ...tree.steps.flatMap((counted) => stepSignals(counted, now)),
      ...tree.accounts.flatMap((account) => account.stopSignals(now)),
    ],
    /** Output tokens of the largest settled answer in the tree; null before the first. */
    largestOutput: (): number | null => tree.sizes.largestOutput,
    /** Lowest measured ratio of tokens to request bytes in the tree; null before the first measurement. */
    tokensPerByte: (): number | null => tree.sizes.tokensPerByte,
    /** Records the input tokens that a provider counted for a number of bytes of text. */
    recordMeasure(textBytes: number, inputTokens: number): void {
      const ratio = inputTokens / textBytes;
      tree.sizes.tokensPerByte = Math.min(tree.sizes.tokensPerByte ?? ratio, ratio);
    },
    /** Counts a step that begins, here and in every ledger above, or takes its count back. */
    countStep(steps: 1 | -1): void {
      for (const counted of tree.steps) counted.taken += steps;
    },
    /**
     * Waits until the call has room here and in every ledger above. It starts at once when it fits beside the spent and
     * held amounts. A call over a limit starts when nothing else is held there and the limit is not reached. A call whose
     * lower estimate exceeds the rest is refused at once. Calls are served in order. Steps and seconds are not held.
     * @param estimate See `estimateCall`. A function is called at every try, because sizes become known during the wait.
     * @throws AgentStopError of a limit, here or above, that is reached or has too little left (its context says
     * `refused`); the signal's reason when it is aborted.
     */
    hold(estimate: CallEstimate | (() => CallEstimate), signal: AbortSignal): Promise<Hold> {
      if (tree.accounts.length === 0) return free;
      return queueUp(tree, estimate, signal, options.onWait);
    },
  };
}

function sessionAccount({ sessionBudget, sessionSpent }: LedgerOptions): Account | null {
  if (sessionBudget === undefined || sessionSpent === undefined) return null;
  const { tokens: maxTokens, cost: maxCost } = sessionBudget;
  const spending = (): Spent => ({ steps: 0, seconds: 0, ...sessionSpent() });
  return createAccount({ ...unlimited(), maxTokens, maxCost }, spending, 'session-budget');
}

function stepSignals({ limit, taken }: StepCount, now: Timestamp): StopSignal[] {
  if (limit === null || taken < limit) return [];
  const message = `Step limit of all agents reached: ${taken}/${limit}`;
  const context = { totalSteps: taken, maxTotalSteps: limit };
  const at: Env = { ...systemEnv, now: () => now };
  return [signalOf('steps-limit-reached', { message, context, source: 'ledger' }, at)];
}

function queueUp(
  tree: Tree,
  estimate: CallEstimate | (() => CallEstimate),
  signal: AbortSignal,
  onWait: LedgerOptions['onWait'],
): Promise<Hold> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const ignoreAbort = (): void => signal.removeEventListener('abort', onAbort);
    const call: Waiting = {
      accounts: tree.accounts,
      estimate: typeof estimate === 'function' ? estimate : () => estimate,
      start(release) {
        ignoreAbort();
        resolve(holdOf(tree, release));
      },
      refuse(signals) {
        ignoreAbort();
        reject(new AgentStopError(highest(signals) ?? undefined));
      },
    };
    const onAbort = (): void => {
      ignoreAbort();
      tree.queue.leave(call);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    tree.queue.join(call);
    if (tree.queue.waiting.includes(call)) callSafely(() => onWait?.(heldAgainst(call)));
  });
}

/** The amounts held by others in the account that is short; for a call that only queues, in its own account. */
function heldAgainst({ accounts, estimate }: Waiting): Held {
  const size = estimate();
  const short = accounts.find((account) => !account.hasRoomFor(size));
  return (short ?? accounts[0])?.heldRoom() ?? { tokens: 0, cost: 0 };
}

function holdOf(tree: Tree, release: () => void): Hold {
  let isSettled = false;
  return {
    settle(usage) {
      if (isSettled) return;
      isSettled = true;
      release();
      noteOutput(tree, usage?.outputTokens ?? null);
      tree.queue.serve();
    },
  };
}

function noteOutput({ sizes }: Tree, outputTokens: number | null): void {
  if (outputTokens !== null) sizes.largestOutput = Math.max(sizes.largestOutput ?? 0, outputTokens);
}
