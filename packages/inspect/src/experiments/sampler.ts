import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import type { Hook } from '@vitrine/core/internal/agent/hook';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import {
  errors,
  pendingApprovals,
  status,
  stopReason,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import type { Env } from '@vitrine/core/internal/graph/env';
import { unlimited } from '@vitrine/core/internal/graph/execution-budget';
import type { AgentState, SpentBefore } from '@vitrine/core/internal/graph/types';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { createLedger } from '@vitrine/core/internal/run/ledger';
import type { Feature } from '@vitrine/core/internal/run/slots';
import { createForkCalls } from '../fork-features.ts';
import { type ForkEdit, forkedAgent, forkedState, spentIn } from '../fork-runs.ts';
import { switchedAgent } from '../fork-switches.ts';
import { redact } from '../redact.ts';
import { type RecordedCalls, recordedCalls } from '../recorded-calls.ts';
import { createJudge } from './judge.ts';
import { meets } from './meets.ts';
import type { Elsewhere, Planned } from './plan-experiment.ts';

/** One fork of an experiment that has come to its end. */
export type Sample = {
  /** Null for a sample that cannot be compared: `why` has the reason. */
  readonly met: boolean | null;
  readonly why: string;
  readonly end: AgentState;
  /** Money of the sample, behind its start; null when it is not known. */
  readonly cost: number | null;
  readonly calls: number;
  /** The reason why it did not come to its own end; null for one that did. */
  readonly broken: 'cap' | 'model' | 'stop' | null;
};

/** The model calls of one sample, and the failure of the last one. */
type Asked = { failure: string; calls: number; isCapped: boolean };

/** The state at which a sample begins, and that of now. */
type Course = { readonly from: AgentState; now: AgentState };

/** Runs the samples of one experiment under one cap: a call that would be above it is not made. */
export class Sampler {
  readonly #plan: Planned;
  readonly #env: Env;
  readonly #signal: AbortSignal;
  readonly #recorded: RecordedCalls;
  readonly #states = new Set<Course>();
  readonly #ledger;
  #calls = 0;

  constructor(plan: Planned, env: Env, signal: AbortSignal) {
    this.#plan = plan;
    this.#env = env;
    this.#signal = signal;
    this.#recorded = recordedCalls(plan.journal);
    plan.elsewhere?.begin(plan.cap.calls);
    this.#ledger = createLedger({
      budget: { ...unlimited(), maxCost: plan.cap.cost },
      spending: () => ({ ...this.spending(), steps: 0, seconds: 0, tokens: 0 }),
      isStrict: true,
      env,
    });
  }

  /** Number of model calls so far. */
  get calls(): number {
    return this.#calls;
  }

  spending(): SpentBefore {
    return spentIn([...this.#states]);
  }

  /** Runs the recorded run again with an edit, and tells whether it meets the expectation. */
  async sample(edit: ForkEdit): Promise<Sample> {
    const { journal, agent, elsewhere, expectation, start, cap, end: recordedEnd } = this.#plan;
    const [env, signal] = [this.#env, this.#signal];
    const own: Asked = { failure: '', calls: 0, isCapped: false };
    const watched = this.#watch(forkedAgent(switchedAgent(agent, edit)), own);
    const from =
      elsewhere === undefined ? forkedState(journal, { agent: watched, ...start, edit, env }) : recordedEnd;
    const entry = { from, now: from };
    this.#states.add(entry);
    if (elsewhere === undefined) await this.#runFork(watched, edit, entry);
    else entry.now = await this.#askElsewhere(elsewhere, edit, own);
    const end = entry.now;
    const { cost, hasUnknownCost } = spentIn([{ from, now: end }]);
    const about = { end, calls: own.calls, cost: hasUnknownCost ? null : cost };
    // When the recorded run failed too, a failure says something.
    const isSameEnd = stopReason(end) === stopReason(recordedEnd);
    if (signal.aborted) return { ...about, met: null, why: 'It was stopped.', broken: 'stop' };
    if (!isSameEnd && stopReason(end) === 'cost-limit-reached')
      return { ...about, met: null, why: `The cap of ${cap.cost} in money is reached.`, broken: 'cap' };
    if (own.isCapped) return { ...about, met: null, why: own.failure, broken: 'cap' };
    if (own.failure !== '' && (elsewhere !== undefined || (!isSameEnd && status(end) === 'failed')))
      return { ...about, met: null, why: own.failure, broken: 'model' };
    const judge = elsewhere === undefined ? createJudge(watched, cap.calls, signal) : undefined;
    const { met, why } = await meets(end, expectation, judge);
    return {
      ...about,
      calls: own.calls,
      met,
      why: met === null ? (heldBy(end) ?? why.join(' ')) : why.join(' '),
      broken: null,
    };
  }

  /** Runs a fork to its end, whose states `entry` follows. */
  async #runFork(agent: AgentDefinition, edit: ForkEdit, entry: Course): Promise<void> {
    const { features } = createForkCalls(this.#recorded, entry.from, edit);
    const [env, signal] = [this.#env, this.#signal];
    const run = createJournal(entry.from, { env });
    run.subscribe((_event, state) => void (entry.now = state));
    const { lease } = run.lease();
    await runOnJournal({ agent, lease, env, signal, ledger: this.#ledger, features });
  }

  /** The end of the run elsewhere; that of the record when there is none, with the reason in `own`. */
  async #askElsewhere(elsewhere: Elsewhere, edit: ForkEdit, own: Asked): Promise<AgentState> {
    try {
      this.#take(own);
      return await elsewhere.sample(edit);
    } catch (thrown) {
      own.failure = thrown instanceof Error ? thrown.message : String(thrown);
      return this.#plan.end;
    }
  }

  /** Counts a model call. @throws AgentError when the cap is reached */
  #take(own: Asked): void {
    const { calls: most } = this.#plan.cap;
    if (this.#calls >= most) {
      own.failure = `The cap of ${most} calls is reached.`;
      own.isCapped = true;
      throw new AgentError('inference-failed', own.failure);
    }
    this.#calls++;
    own.calls++;
  }

  /** An agent whose models, and those of its hooks, are asked within the cap, and whose plugins open nothing. */
  #watch(agent: AgentDefinition, own: Asked, depth = 0): AgentDefinition {
    const take = (): void => this.#take(own);
    const { inference, hooks, plugins, subagents, subagentPolicy } = agent;
    return {
      ...agent,
      inference: {
        ...inference,
        async *stream(request, call) {
          take();
          try {
            for await (const event of inference.stream(request, call)) {
              if (event.type === 'error') own.failure = `The model failed: ${event.message}`;
              if (event.type === 'finish') own.failure = '';
              yield event;
            }
          } catch (thrown) {
            own.failure = `The model failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
            throw thrown;
          }
        },
      },
      hooks: hooks.map((hook) => countedHook(hook, take)),
      plugins: plugins.map((plugin) => ({ ...plugin, features: plugin.features.map(closedFeature) })),
      subagents:
        depth >= subagentPolicy.maxDepth
          ? subagents
          : subagents.map((entry) => ({ ...entry, agent: this.#watch(entry.agent, own, depth + 1) })),
    };
  }
}

/** A hook whose own model calls count. */
function countedHook(hook: Hook, take: () => void): Hook {
  return {
    ...hook,
    run: (state, ctx) =>
      hook.run(
        state,
        Object.create(ctx, {
          callModel: {
            value: (given: Parameters<typeof ctx.callModel>[0]) =>
              ctx.callModel({ ...given, call: (signal) => (take(), given.call(signal)) }),
          },
        }) as typeof ctx,
      ),
  };
}

/** The feature of a plugin that opens nothing outside of the run; one for each, because plugins share them. */
const closedFeature = memoize((feature: object): ((run: never) => object) => {
  return (run) => {
    const { open: _open, ...slots } = (feature as Feature)(run);
    return slots;
  };
});

/** The sentence about the call at which a fork ended; null when it ended by itself. */
function heldBy(end: AgentState): string | null {
  const held = pendingApprovals(end)[0];
  if (held === undefined) return errors(end).at(-1)?.message ?? null;
  const { name, input } = held.toolCall;
  return held.approval?.cause === 'fork'
    ? `It ended at ${name}(${JSON.stringify(redact(input))}): the record has no such call, and it was not made.`
    : `It ended at ${name}, which waits for a person.`;
}
