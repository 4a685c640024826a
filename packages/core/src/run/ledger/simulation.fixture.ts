import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import { of as budgetOf } from '../../graph/limits/execution-budget.ts';
import type { Spent } from '../../graph/limits/limits.ts';
import { of as usageOf } from '../../graph/usage.ts';
import { type CallEstimate, estimateCall } from '../estimate-call.ts';
import { createLedger, type Hold, type Ledger } from '../ledger.ts';

/** A simulated agent: rounds of one model call and then its subagents, some of them side by side. */
export type Sim = {
  readonly maxTokens: number | null;
  readonly concurrency: number;
  readonly rounds: readonly SimCall[];
  readonly children: readonly Sim[];
  /** Ticks after which it is aborted; null never. */
  readonly abortAfter: number | null;
};

export type SimCall = {
  /** What it holds for its request; `input` is what that comes to. */
  readonly bytes: number;
  readonly input: number;
  readonly output: number;
  /** How long it takes. */
  readonly ticks: number;
};

/** What an agent spent above its limit, against the largest call in and below it and what calls spent beyond their hold. */
export type Overshoot = { readonly over: number; readonly largest: number; readonly beyond: number };

export type Report = {
  overshoots: Overshoot[];
  maxInFlight: number;
  inFlight: number;
  /** Calls that were refused, and those of them that had no reached limit above. */
  refused: number;
  refusedTooEarly: number;
  /** Tokens of the whole tree. */
  total: number;
  /** True when somebody still waits although nothing can happen any more. */
  isStuck: boolean;
  /** Tokens that are held after the end. */
  heldAtEnd: number;
};

/** An agent while it runs. */
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

/** What has become of a promise once all that can go on by itself has gone on. */
export async function stateOf(promise: Promise<unknown>): Promise<'waiting' | 'started' | 'refused'> {
  let state: 'waiting' | 'started' | 'refused' = 'waiting';
  promise.then(
    () => (state = 'started'),
    () => (state = 'refused'),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return state;
}

/** Plays a tree of agents on ledgers. Without an output limit calls hold what the largest answer so far was. */
export async function play(sim: Sim, maxOutputTokens: number | null): Promise<Report> {
  const counts = { maxInFlight: 0, inFlight: 0, refused: 0, refusedTooEarly: 0, total: 0, heldAtEnd: 0 };
  const report: Report = { ...counts, overshoots: [], isStuck: false };
  const nodes: Node[] = [];
  const done = runNode({ report, nodes, maxOutputTokens }, sim, null);
  report.isStuck = (await stateOf(done)) !== 'started';
  for (const node of nodes) {
    const { largest, beyond, ledger } = node;
    report.heldAtEnd += ledger.tree.accounts.reduce((sum, { held }) => sum + held().tokens, 0);
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
      spent: () => spentWith({ tokens: spent(node) }),
      parent: parent?.ledger ?? null,
    }),
    own: 0,
    largest: 0,
    beyond: 0,
  };
  return node;
}

/** @returns false when it was refused or aborted. */
async function infer({ report, maxOutputTokens }: Play, node: Node, call: SimCall): Promise<boolean> {
  const { ledger, signal } = node;
  let held = 0;
  const estimate = (): CallEstimate => {
    const sizes = { maxOutputTokens, largestOutput: ledger.largestOutput() };
    const found = estimateCall({ requestBytes: call.bytes, price: null, ...sizes });
    held = found.tokens ?? Infinity;
    return found;
  };
  let hold: Hold;
  try {
    hold = await ledger.hold(estimate, signal);
  } catch (thrown) {
    if (!isAgentStopError(thrown)) return false;
    report.refused += 1;
    if (!isReached(node)) report.refusedTooEarly += 1;
    return false;
  }
  report.maxInFlight = Math.max(report.maxInFlight, ++report.inFlight);
  await ticks(call.ticks);
  report.inFlight -= 1;
  if (!signal.aborted) spend(node, call.input + call.output, held);
  hold.settle(signal.aborted ? null : usageOf({ inputTokens: call.input, outputTokens: call.output }));
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

function isReached(node: Node | null): boolean {
  if (node === null) return false;
  return (node.sim.maxTokens !== null && spent(node) >= node.sim.maxTokens) || isReached(node.parent);
}

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}
