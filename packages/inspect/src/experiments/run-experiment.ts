import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import type { JournalDocument } from '../replay/journal-document.ts';
import { describeExpectation } from './expectation.ts';
import { describeDifference } from './first-difference.ts';
import { fisher } from './fisher.ts';
import {
  type Experiment,
  type ExperimentOptions,
  type ExperimentRow,
  planExperiment,
  type Planned,
} from './plan-experiment.ts';
import { type Sample, Sampler } from './sampler.ts';
import type { Variant } from './variants.ts';

/** Greatest number of forks at a time, and of changes that are confirmed. */
const [mostForks, mostConfirmed] = [5, 3];
/** The bound of the probability with which a cause may be named by chance. */
const mostChance = 0.05;

/**
 * Finds the part of a recorded run that breaks an expectation: it runs the run again with one thing changed at a time.
 * The model is asked; tools are answered from the record, and no other call of a tool that is not idempotent is made:
 * a sample ends there, and is compared only if its expectation is decided by then. Hooks with effects are left out.
 *
 * First the run as it was, then each change once, then up to three changes that met the expectation with fresh samples,
 * which Fisher's exact test compares with the run as it was. Each group is decided before it begins.
 * @throws AgentError `question-invalid` for an expectation that cannot be used and for an agent without a tool of the
 * run, and the errors of reading the journal.
 */
export async function runExperiment(
  document: JournalDocument,
  agent: AgentDefinition,
  options: ExperimentOptions,
): Promise<Experiment> {
  const { experiment, ...planned } = await planExperiment(document, agent, options);
  if (experiment !== null) return experiment;
  return new Course(planned, options).run();
}

/** The course of one experiment: what is known of each variant. */
class Course {
  readonly #plan: Planned;
  readonly #options: ExperimentOptions;
  readonly #sampler: Sampler;
  readonly #rows = new Map<Variant | null, readonly Sample[]>();
  readonly #confirmed = new Set<Variant>();

  constructor(plan: Planned, options: ExperimentOptions) {
    this.#plan = plan;
    this.#options = options;
    const signal = options.signal ?? new AbortController().signal;
    this.#sampler = new Sampler(plan, options.env ?? systemEnv, signal);
  }

  async run(): Promise<Experiment> {
    const { samples, variants } = this.#plan;
    const broken = await this.#sample(Array.from({ length: samples }, () => null));
    const was = this.#count(null);
    if (broken !== null) return this.#answer(this.#brokenBy(broken));
    if (was.of === 0) return this.#answer(`The run cannot be compared with itself. ${this.#whyOf(null)}`);
    if (was.met * 2 > was.of)
      return this.#answer(
        was.met === was.of
          ? `It is met without a change: ${was.met} of ${was.of}. The recorded run was an exception, or the agent has changed since.`
          : `It varies: ${was.met} of ${was.of} without a change.`,
      );
    const failure = await this.#screen(variants);
    if (failure !== null) return this.#answer(this.#brokenBy(failure));
    return this.#confirm(await this.#narrow());
  }

  /** Tries each variant once, while one of them can still be confirmed. @returns the failure that ended it, or null */
  async #screen(variants: readonly Variant[]): Promise<string | null> {
    const reserve = this.#neededFor(1) * this.#each();
    for (let at = 0; at < variants.length;) {
      const room = Math.floor((this.#left() - reserve) / this.#each());
      const group = variants.slice(at, at + Math.min(mostForks, room));
      if (group.length === 0) break;
      const broken = await this.#sample(group);
      if (broken !== null) return broken;
      at += group.length;
    }
    return null;
  }

  /** The variants to confirm: the flipped ones, of which several are tried once more. */
  async #narrow(): Promise<readonly Variant[]> {
    const flipped = [...this.#rows].flatMap(([variant, [sample]]) =>
      variant !== null && sample?.met === true ? [variant] : [],
    );
    const isRoom = this.#left() >= (flipped.length + this.#neededFor(1)) * this.#each();
    if (flipped.length < 2 || !isRoom) return this.#affordable(flipped);
    await this.#sample(flipped);
    return this.#affordable(flipped.filter((one) => this.#samplesOf(one).every(({ met }) => met === true)));
  }

  #affordable(flipped: readonly Variant[]): readonly Variant[] {
    for (let count = Math.min(mostConfirmed, flipped.length); count > 1; count--)
      if (this.#neededFor(count) <= this.#roomFor(flipped.slice(0, count))) return flipped.slice(0, count);
    return flipped.slice(0, 1);
  }

  /** Confirms variants with fresh samples, whose number is decided before the first of them. */
  async #confirm(variants: readonly Variant[]): Promise<Experiment> {
    if (variants.length === 0) return this.#answer(this.#nothingFlipped());
    const room = this.#roomFor(variants);
    const needed = this.#neededFor(variants.length, room);
    if (needed > room)
      return this.#answer(
        `${this.#flippedSoFar()}${this.#asItWas()} ${this.#left()} calls are left, too few to tell that from chance: raise the cap.`,
      );
    for (const variant of variants) {
      this.#confirmed.add(variant);
      this.#rows.set(variant, []);
    }
    const broken = await this.#sample(variants.flatMap((one) => Array.from({ length: needed }, () => one)));
    const was = this.#count(null);
    const causes = variants
      .map((variant) => ({ variant, ...this.#count(variant) }))
      .filter(({ met, of }) => of > 0 && met / of > was.met / was.of)
      .filter(({ met, of }) => fisher(met, of, was.met, was.of) <= mostChance / variants.length)
      .sort((a, b) => b.met / b.of - a.met / a.of);
    const [first] = causes;
    const failure = broken === null ? '' : `${broken} `;
    if (first === undefined)
      return this.#answer(
        `${failure}${this.#flippedSoFar()}No change stands out from chance. ${this.#asItWas()}`,
      );
    const line = describeExpectation(this.#plan.expectation);
    return this.#answer(
      `${failure}With ${first.variant.name} ${line}: ${first.met} of ${first.of}. ${this.#asItWas()}`,
      first.variant,
    );
  }

  /** Samples variants in groups side by side, and keeps what comes of them. @returns the failure of a whole group, or null */
  async #sample(variants: readonly (Variant | null)[]): Promise<string | null> {
    for (let at = 0; at < variants.length; at += mostForks) {
      const group = variants.slice(at, at + mostForks);
      const samples = await Promise.all(group.map((variant) => this.#sampler.sample(variant?.edit ?? {})));
      for (const [index, sample] of samples.entries()) {
        const variant = group[index] ?? null;
        this.#rows.set(variant, [...this.#samplesOf(variant), sample]);
      }
      this.#options.onProgress?.(this.#answer(''));
      const ended = samples.find(({ broken }) => broken === 'cap' || broken === 'stop');
      const failed = samples.every(({ broken }) => broken !== null) ? samples[0] : undefined;
      if (ended !== undefined || failed !== undefined) return (ended ?? failed)?.why ?? '';
    }
    return null;
  }

  #samplesOf(variant: Variant | null): readonly Sample[] {
    return this.#rows.get(variant) ?? [];
  }

  /** Model calls that are left. */
  #left(): number {
    return this.#plan.cap.calls - this.#sampler.calls;
  }

  /** Model calls of a sample: those of the record, or more when samples make more. */
  #each(): number {
    const made = this.#samplesOf(null).map(({ calls }) => calls);
    const mean = made.length === 0 ? 0 : made.reduce((sum, calls) => sum + calls, 0) / made.length;
    return Math.max(1, Math.ceil(mean), made.length === 0 ? this.#plan.callsEach : 1);
  }

  /** Samples of each of some variants that the calls which are left suffice for. */
  #roomFor(variants: readonly Variant[]): number {
    const calls = variants.map((one) =>
      Math.max(this.#each(), ...this.#samplesOf(one).map((was) => was.calls)),
    );
    return Math.floor(this.#left() / calls.reduce((sum, each) => sum + each, 0));
  }

  /** Samples of each confirmed variant: those that are asked for, or fewer if the test can tell it from chance then. */
  #neededFor(count: number, room: number = Infinity): number {
    const { met, of } = this.#count(null);
    let least = 1;
    while (least < 100 && fisher(least, least, met, of) > mostChance / count) least++;
    return Math.max(least, Math.min(this.#plan.samples, room));
  }

  #count(variant: Variant | null): { readonly met: number; readonly of: number } {
    const known = this.#samplesOf(variant).filter(({ met }) => met !== null);
    return { met: known.filter(({ met }) => met === true).length, of: known.length };
  }

  #whyOf(variant: Variant | null): string {
    return this.#samplesOf(variant).findLast(({ met }) => met !== true)?.why ?? '';
  }

  #brokenBy(failure: string): string {
    const end = failure.endsWith('.') ? '' : '.';
    return `${failure}${end} Known so far: ${this.#flippedSoFar()}${this.#asItWas()}`;
  }

  #asItWas(): string {
    const { met, of } = this.#count(null);
    return `As it was: ${met} of ${of}.`;
  }

  /** The variants that met the expectation when they were tried, in words; empty for none. */
  #flippedSoFar(): string {
    const met = [...this.#rows.keys()].filter((variant) => variant !== null && this.#count(variant).met > 0);
    const list = met.map(
      (variant) => `${variant?.name ?? ''}: ${this.#count(variant).met} of ${this.#count(variant).of}`,
    );
    return list.length === 0 ? '' : `Met with ${list.join(', ')}. `;
  }

  #nothingFlipped(): string {
    const tried = [...this.#rows.keys()].length - 1;
    const untried = this.#namesOfUntried().length;
    const { start, samples, variants } = this.#plan;
    const more = `${(2 * samples + variants.length) * this.#plan.callsOfRun} calls`;
    return [
      `None of ${tried} changes makes it so.`,
      this.#asItWas(),
      ...(untried === 0 ? [] : [`Not tried: ${untried}.`]),
      ...(start.stepId === null
        ? []
        : [`The samples kept the first answer: with a cap of ${more} they begin before it.`]),
    ].join(' ');
  }

  #namesOfUntried(): readonly string[] {
    const { variants, impossible } = this.#plan;
    return [...variants.filter((one) => !this.#rows.has(one)).map(({ name }) => name), ...impossible];
  }

  #answer(sentence: string, cause: Variant | null = null): Experiment {
    const rows = [...this.#rows].map(([variant, samples]): ExperimentRow => ({
      variant: variant?.name ?? null,
      ...this.#count(variant),
      cost: samples.reduce<number | null>(
        (sum, { cost }) => (sum === null || cost === null ? null : sum + cost),
        0,
      ),
      difference: describeDifference(this.#plan.end, samples.at(-1)?.end ?? this.#plan.end),
      why: this.#whyOf(variant),
      isConfirmed: variant !== null && this.#confirmed.has(variant),
    }));
    const { cost, hasUnknownCost } = this.#sampler.spending();
    return {
      sentence,
      cause,
      rows,
      untried: this.#namesOfUntried(),
      calls: this.#sampler.calls,
      cost: hasUnknownCost ? null : cost,
    };
  }
}
