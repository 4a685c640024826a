import { type AgentDefinition, delegationToolName } from '@vitrine/core/internal/agent/agent-definition';
import { usage } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { Env } from '@vitrine/core/internal/graph/env';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { fold } from '@vitrine/core/internal/run/apply';
import { everyAgentOf } from '../agents-of.ts';
import type { ForkEdit } from '../fork-runs.ts';
import { type JournalDocument, type ReadJournal, readJournal } from '../replay/journal-document.ts';
import {
  describeExpectation,
  type Expectation,
  type Leaf,
  leavesOf,
  readExpectation,
} from './expectation.ts';
import { meets } from './meets.ts';
import { proposeVariants, type Variant } from './variants.ts';

/** Options of `runExperiment`. */
export type ExperimentOptions = {
  readonly expectation: Expectation;
  /** The changes to try, the most suspicious first. Default: those that the run suggests. */
  readonly variants?: readonly Variant[];
  /** Other models to try. Default: three that the client of the agent knows, after all other changes. */
  readonly models?: readonly string[];
  /** Samples of the run as it was, and of each change that is confirmed. Default: 5. */
  readonly samples?: number;
  /** The most model calls and money. Default: 30 calls, and ten times the cost of the run when it is known. */
  readonly cap?: { readonly calls?: number; readonly cost?: number | null };
  /** Receives what is known so far, behind each group of samples. */
  readonly onProgress?: (known: Experiment) => void;
  /** Ends the experiment with what is known so far. */
  readonly signal?: AbortSignal;
  readonly env?: Env;
};

/** One row of an experiment: the run as it was, or with one change. */
export type ExperimentRow = {
  /** The name of the variant; null for the run as it was. */
  readonly variant: string | null;
  /** Samples that met the expectation, of those that can be compared. */
  readonly met: number;
  readonly of: number;
  /** Money of its samples; null when it is not known. */
  readonly cost: number | null;
  /** The first difference of its last sample from the record. */
  readonly difference: string;
  /** The reason why its last sample does not meet the expectation, or cannot be compared. */
  readonly why: string;
  /** True when it was confirmed by fresh samples, which alone are counted then. */
  readonly isConfirmed: boolean;
};

/** A run whose agent cannot run here, e.g. one that was recorded from requests. */
export type Elsewhere = {
  /** Hears, before the first sample, how many calls a person allows. */
  readonly begin: (calls: number) => void;
  /** False for an edit that cannot be made there. */
  readonly takes: (edit: ForkEdit) => boolean;
  /** The end of the run with an edit. @throws Error with the sentence on why there is none */
  readonly sample: (edit: ForkEdit) => Promise<AgentState>;
};

/** The answer of an experiment. */
export type Experiment = {
  /** One sentence, such as ``With hook `save-tokens` off it knows the name: 5 of 5. As it was: 0 of 5.`` */
  readonly sentence: string;
  /** The change that makes the run meet the expectation; null when none was found. */
  readonly cause: Variant | null;
  readonly rows: readonly ExperimentRow[];
  /** The names of what was not tried. */
  readonly untried: readonly string[];
  readonly calls: number;
  /** Money of the experiment; null when it is not known. */
  readonly cost: number | null;
};

/** The place at which all samples of an experiment begin; a null step is the beginning of the run, before any hook. */
type SampleStart = { readonly stepId: string | null; readonly isBehindAnswer: boolean };

/** The plan of an experiment, for a person who is to agree to it. */
export type ExperimentPlan = {
  readonly variants: readonly Variant[];
  readonly impossible: readonly string[];
  readonly start: SampleStart;
  /** Model calls of a sample and of the whole run, as in the record. */
  readonly callsEach: number;
  readonly callsOfRun: number;
  readonly samples: number;
  readonly cap: { readonly calls: number; readonly cost: number | null };
  /** Most model calls, and the money when each costs as in the record; null when that is not known. */
  readonly estimate: { readonly calls: number; readonly cost: number | null };
};

/** A plan with what it was made of. */
export type Planned = ExperimentPlan & {
  readonly journal: ReadJournal;
  readonly end: AgentState;
  readonly agent: AgentDefinition;
  readonly elsewhere: Elsewhere | undefined;
  readonly expectation: Expectation;
};

/** The options, and for the page of a recorder what gives the samples in place of the agent, one model call each. */
export type PlanOptions = ExperimentOptions & { readonly elsewhere?: Elsewhere };

/** Plans an experiment. One that needs no call, or cannot make one, is answered at once. */
export async function planExperiment(
  document: JournalDocument,
  agent: AgentDefinition,
  options: PlanOptions,
): Promise<Planned & { readonly experiment: Experiment | null }> {
  const expectation = readExpectation(options.expectation);
  const journal = readJournal(document);
  const end = fold(journal.base, journal.events);
  assertTools(journal, agent, expectation);
  const { cost } = usage(end);
  const { samples = 5, cap: given = {}, elsewhere } = options;
  const cap = {
    calls: given.calls ?? 30,
    // A run without a known cost, or a free one, bounds nothing, and elsewhere no price is known.
    cost: given.cost === undefined ? (cost && elsewhere === undefined ? 10 * cost : null) : given.cost,
  };
  const { variants: all, impossible } =
    options.variants === undefined
      ? await proposeVariants(journal, end, agent, { expectation, models: options.models })
      : { variants: options.variants, impossible: [] };
  const variants = all.filter(({ edit }) => elsewhere === undefined || elsewhere.takes(edit));
  const callsOfRun = callsFrom(journal.events, 0);
  const { callsEach, start } =
    elsewhere === undefined
      ? await startOf(journal, expectation, { samples, variants: variants.length, calls: cap.calls })
      : { callsEach: 1, start: { stepId: null, isBehindAnswer: false } };
  const calls = Math.min(cap.calls, (2 * samples + variants.length) * callsEach);
  const isPriced = cost !== null && callsOfRun > 0;
  const estimate = {
    calls,
    cost: isPriced ? Math.min((cost / callsOfRun) * calls, cap.cost ?? Infinity) : null,
  };
  const known = { journal, end, agent, elsewhere, expectation, variants, impossible, start };
  const plan = { ...known, callsEach, callsOfRun, samples, cap, estimate };
  const sentence = await reasonAgainst(plan);
  if (sentence === null) return { ...plan, experiment: null };
  const untried = variants.map(({ name }) => name);
  return { ...plan, experiment: { sentence, cause: null, rows: [], untried, calls: 0, cost: 0 } };
}

/** The reason why an experiment calls no model; null for one that does. */
async function reasonAgainst({
  end,
  elsewhere,
  expectation,
  cap,
  samples,
  callsEach,
}: Planned): Promise<string | null> {
  const { met } = await meets(end, expectation);
  if (met === true)
    return `The recorded run meets it: ${describeExpectation(expectation)}. Choose a run that does not.`;
  if (cap.calls === 0 || cap.cost === 0) return 'The cap allows no call, so nothing was tried.';
  if (elsewhere !== undefined && cap.cost !== null)
    return 'The price of this model is not known here, so only the number of calls can be capped.';
  const least = (samples + 1) * callsEach;
  return least > cap.calls
    ? `${cap.calls} calls are too few: ${samples} samples of the run and one change take about ${least}.`
    : null;
}

function callsFrom(events: ReadJournal['events'], from: number): number {
  return events.slice(from).filter(({ type }) => type === 'inference-start').length;
}

/**
 * The beginning of the samples: the latest answer behind which the cap has room for each variant, or that of the run.
 * An expectation about the whole run, or broken earlier, begins there as well, and one about a call before it was made.
 */
async function startOf(
  { base, events }: ReadJournal,
  expectation: Expectation,
  { samples, variants, calls }: Readonly<Record<'samples' | 'variants' | 'calls', number>>,
): Promise<{ readonly start: SampleStart; readonly callsEach: number }> {
  const beginning = {
    start: { stepId: null, isBehindAnswer: false },
    callsEach: Math.max(1, callsFrom(events, 0)),
  };
  const fits = (each: number): boolean => (2 * samples + Math.min(variants, 8)) * each <= calls;
  if (fits(beginning.callsEach)) return beginning;
  const steps = events.flatMap((event, at) =>
    event.type === 'step-start' && event.path.length === 0 ? [{ at, stepId: event.stepId }] : [],
  );
  const latest = (leaf: Leaf): number => {
    const { tool } = 'calls' in leaf ? leaf.calls : 'neverCalls' in leaf ? leaf.neverCalls : { tool: null };
    const made = events.findIndex(
      (event) => event.type === 'tool-call' && event.path.length === 0 && event.toolName === tool,
    );
    if (tool !== null) return steps.findLastIndex(({ at }) => at < made) - 1;
    const isOfAnswer =
      ['says', 'doesNotSay', 'matches', 'judge', 'endsWith'].some((kind) => kind in leaf) &&
      !('over' in leaf && leaf.over === 'run');
    return isOfAnswer ? steps.length - 2 : -1;
  };
  const last = Math.min(...leavesOf(expectation).map(latest));
  for (const [index, { at, stepId }] of steps.slice(0, Math.max(0, last + 1)).entries()) {
    const answered = events.findIndex(
      (event, place) => place > at && event.type === 'inference-end' && event.path.length === 0,
    );
    const callsEach = answered < 0 ? 0 : callsFrom(events, answered);
    if (callsEach === 0) break;
    if (fits(callsEach) || index === last) {
      const before = await meets(fold(base, events.slice(0, answered + 1)), expectation);
      return before.met === false ? beginning : { start: { stepId, isBehindAnswer: true }, callsEach };
    }
  }
  return beginning;
}

/** @throws AgentError when the agent lacks a tool that the run called, or that the expectation wants called */
function assertTools({ events }: ReadJournal, agent: AgentDefinition, expectation: Expectation): void {
  const agents = everyAgentOf(agent);
  // Tools of `prepare` are known in a run only, and others run elsewhere.
  if (agents.some(({ plugins }) => plugins.some(({ prepare }) => prepare !== null))) return;
  const names = new Set([
    delegationToolName,
    ...agents
      .flatMap(({ tools, plugins }) => [...tools, ...plugins.flatMap((one) => one.tools)])
      .map(({ name }) => name),
  ]);
  const begun = new Set(events.flatMap((event) => (event.type === 'tool-start' ? [event.toolCallId] : [])));
  const gone = events.find(
    (event) => event.type === 'tool-call' && begun.has(event.toolCallId) && !names.has(event.toolName),
  );
  if (gone?.type === 'tool-call')
    throw new AgentError(
      'question-invalid',
      `The agent has no tool ${JSON.stringify(gone.toolName)} any more, which the run called. Use the agent that was recorded.`,
    );
  const wanted = leavesOf(expectation).find((leaf) => 'calls' in leaf && !names.has(leaf.calls.tool));
  if (wanted !== undefined && 'calls' in wanted)
    throw new AgentError(
      'question-invalid',
      `No run can meet it: the agent has no tool ${JSON.stringify(wanted.calls.tool)}.`,
    );
}
