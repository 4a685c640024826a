import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import { of as budgetOf } from '../../graph/execution-budget.ts';
import type { Spent } from '../../graph/limits.ts';
import { type Usage } from '../../graph/usage.ts';
import { reportedUsage, usageOfCall } from '../../graph/usage-of-call.ts';
import { type CallEstimate, estimateCall } from '../estimate-call.ts';
import { createLedger, type Hold, type Ledger } from '../ledger.ts';

/** A simulated agent: rounds of one model call and then its subagents, some of them side by side. */
export type Sim = {
  readonly maxTokens: number | null;
  readonly concurrency: number;
  readonly rounds: readonly SimCall[];
  readonly children: readonly Sim[];
  /** Ticks until the agent is aborted; null for never. */
  readonly abortAfter: number | null;
};

export type SimCall = {
  /** Bytes that the call holds for its request; `input` is their number of tokens. */
  readonly bytes: number;
  readonly input: number;
  readonly output: number;
  /** Duration in ticks. */
  readonly ticks: number;
  /** The way in which the provider reports usage. Default: exact. */
  readonly report?: SimReport;
};

/** Ways to report usage: exact, not at all, impossible figures, or after the end of the answer (`late`). */
export type SimReport = 'exact' | 'absent' | 'zero' | 'negative' | 'text' | 'total too low' | 'late';

/** Bytes of output a token. */
const outputBytes = 3;

function reportOf({ input, output, report = 'exact' }: SimCall): unknown {
  switch (report) {
    case 'absent':
      return undefined;
    case 'zero':
      return { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    case 'negative':
      return { inputTokens: -input, outputTokens: -output };
    case 'text':
      return { inputTokens: `${input}`, outputTokens: `${output}`, totalTokens: 'many' };
    case 'total too low':
      return { inputTokens: input, outputTokens: output, totalTokens: 1, isExact: true };
    default:
      return { inputTokens: input, outputTokens: output, isExact: true };
  }
}

/** The charge of a call, of which `output` tokens were put out when it ended. */
function chargeOf(call: SimCall, reported: unknown, output: number): Usage {
  const bytes = { countOut: () => call.bytes, countIn: () => output * outputBytes };
  return usageOfCall(reportedUsage(reported), bytes);
}

/** An agent's spending above its limit, the largest call in or below it, and the spending beyond holds. */
export type Overshoot = { readonly over: number; readonly largest: number; readonly beyond: number };

export type Report = {
  overshoots: Overshoot[];
  maxInFlight: number;
  inFlight: number;
  /** Number of refused calls, and of those refused although no limit above was reached. */
  refused: number;
  refusedTooEarly: number;
  /** Number of sent calls, and of those whose lower estimate exceeded the rest. */
  sent: number;
  sentWithoutRoom: number;
  /** Tokens of the whole tree. */
  total: number;
  /** True when an agent still waits although nothing can happen any more. */
  isStuck: boolean;
  /** Tokens still held after the end. */
  heldAtEnd: number;
};

/** An agent during its run. */
type Node = {
  readonly sim: Sim;
  readonly parent: Node | null;
  readonly children: Node[];
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  own: number;
  largest: number;
  beyond: number;
};

type Play = { readonly report: Report; readonly nodes: Node[]; readonly maxOutputTokens: number | null };

export function spentWith(spent: Partial<Spent>): Spent {
  return { steps: 0, tokens: 0, seconds: 0, cost: 0, hasUnknownCost: false, ...spent };
}

/** The state of a promise after all pending microtasks have run. */
export async function stateOf(promise: Promise<unknown>): Promise<'waiting' | 'started' | 'refused'> {
  let state: 'waiting' | 'started' | 'refused' = 'waiting';
  promise.then(
    () => (state = 'started'),
    () => (state = 'refused'),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return state;
}

/**
 * Runs a tree of agents on ledgers. Without an output limit, calls hold the size of the largest answer so
 * far.
 */
export async function play(sim: Sim, maxOutputTokens: number | null): Promise<Report> {
  const calls = { sent: 0, sentWithoutRoom: 0, refused: 0, refusedTooEarly: 0 };
  const counts = { ...calls, maxInFlight: 0, inFlight: 0, total: 0, heldAtEnd: 0 };
  const report: Report = { ...counts, overshoots: [], isStuck: false };
  const nodes: Node[] = [];
  const done = runNode({ report, nodes, maxOutputTokens }, sim, null);
  report.isStuck = (await stateOf(done)) !== 'started';
  for (const node of nodes) {
    const { largest, beyond, ledger } = node;
    report.heldAtEnd += ledger.tree.accounts.reduce((sum, { heldRoom }) => sum + heldRoom().tokens, 0);
    if (node.parent === null) report.total = spent(node);
    if (node.sim.maxTokens === null) continue;
    report.overshoots.push({ over: spent(node) - node.sim.maxTokens, largest, beyond });
  }
  return report;
}

async function runNode(played: Play, sim: Sim, parent: Node | null): Promise<void> {
  const node = newNode(sim, parent);
  parent?.children.push(node);
  played.nodes.push(node);
  for (const call of sim.rounds) {
    if (!(await infer(played, node, call))) return;
    const queue = [...sim.children];
    const worker = async (): Promise<void> => {
      for (let child = queue.shift(); child !== undefined; child = queue.shift())
        await runNode(played, child, node);
    };
    await Promise.all(Array.from({ length: sim.concurrency }, worker));
  }
}

function newNode(sim: Sim, parent: Node | null): Node {
  const controller = new AbortController();
  if (sim.abortAfter !== null) void ticks(sim.abortAfter).then(() => controller.abort('aborted'));
  const node: Node = {
    sim,
    parent,
    children: [],
    signal: parent === null ? controller.signal : AbortSignal.any([controller.signal, parent.signal]),
    ledger: createLedger({
      budget: budgetOf({ maxTokens: sim.maxTokens }),
      spending: () => spentWith({ tokens: spent(node) }),
      parent: parent?.ledger ?? null,
    }),
    own: 0,
    largest: 0,
    beyond: 0,
  };
  return node;
}

/** Makes one model call. @returns false when it was refused or aborted. */
async function infer({ report, maxOutputTokens }: Play, node: Node, call: SimCall): Promise<boolean> {
  const { ledger, signal } = node;
  let held = 0;
  let least = 0;
  const estimate = (): CallEstimate => {
    const sizes = { maxOutputTokens, largestOutput: ledger.largestOutput(), tokensPerByte: null };
    const found = estimateCall({ requestBytes: call.bytes, textBytes: call.bytes, price: null, ...sizes });
    held = found.tokens ?? Infinity;
    least = found.least?.tokens ?? 0;
    return found;
  };
  let hold: Hold;
  try {
    hold = await ledger.hold(estimate, signal);
  } catch (thrown) {
    if (!isAgentStopError(thrown)) return false;
    report.refused += 1;
    if (!isReached(node, least)) report.refusedTooEarly += 1;
    return false;
  }
  report.sent += 1;
  if (isShort(node, least)) report.sentWithoutRoom += 1;
  report.maxInFlight = Math.max(report.maxInFlight, ++report.inFlight);
  await ticks(call.ticks);
  if (call.report === 'late') await ticks(call.ticks);
  report.inFlight -= 1;
  // A call that is aborted half way is charged for the output so far.
  const usage = signal.aborted
    ? chargeOf(call, undefined, Math.floor(call.output / 2))
    : chargeOf(call, reportOf(call), call.output);
  spend(node, usage.totalTokens, held);
  hold.settle(usage);
  return !signal.aborted;
}

function spend(node: Node, tokens: number, held: number): void {
  node.own += tokens;
  for (let at: Node | null = node; at !== null; at = at.parent) {
    at.largest = Math.max(at.largest, tokens);
    at.beyond += Math.max(0, tokens - held);
  }
}

function spent(node: Node): number {
  return node.children.reduce((sum, child) => sum + spent(child), node.own);
}

function isReached(node: Node | null, least: number): boolean {
  if (node === null) return false;
  const { maxTokens } = node.sim;
  return (
    (maxTokens !== null && (spent(node) >= maxTokens || least > maxTokens - spent(node))) ||
    isReached(node.parent, least)
  );
}

/** True when the rest here or above is below the call's lower estimate. */
function isShort(node: Node | null, least: number): boolean {
  if (node === null) return false;
  const { maxTokens } = node.sim;
  return (maxTokens !== null && least > maxTokens - spent(node)) || isShort(node.parent, least);
}

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}
