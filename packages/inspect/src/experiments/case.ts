import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { journalOfRun } from '../replay/journal-document.ts';
import { replay } from '../replay/replay.ts';
import { recordOfRun, runsOf } from '../runs-of.ts';
import { importTrace } from '../trace/trace.ts';
import { describeExpectation, type Expectation, readExpectation } from './expectation.ts';
import { meets, type Met } from './meets.ts';
import { planExperiment } from './plan-experiment.ts';
import { Sampler } from './sampler.ts';

/** The result of a case: whether today's agent meets its expectation. */
export type CaseResult = {
  /** Null when it is not decided: the run goes another way now and no model was asked, or it cannot be run again. */
  readonly met: boolean | null;
  /** One sentence, such as `It says "Ada".` */
  readonly sentence: string;
  readonly calls: number;
};

type CaseOptions = {
  /** The most model calls, when the run goes another way than its record. Default: 0, so no model is asked. */
  readonly calls?: number;
  readonly signal?: AbortSignal;
  readonly env?: Env;
};

/**
 * Checks a case, which is a trace that was exported with an expectation: runs today's agent on its last run. While the
 * agent does what was recorded, no model is asked and no tool runs. Where it goes another way, the model is asked within
 * `calls`; a call of a tool that the record does not have ends the run, unless the tool is idempotent.
 * @param agent Without one the recorded run alone is looked at.
 * @throws AgentError `trace-invalid` for a file that is no trace, and `question-invalid` for one without an expectation
 * that can be used.
 */
export async function checkCase(
  file: string,
  agent?: AgentDefinition,
  { calls = 0, signal, env = systemEnv }: CaseOptions = {},
): Promise<CaseResult> {
  const { record, isRedacted, expects } = importTrace(file);
  if (expects === undefined)
    throw new AgentError(
      'question-invalid',
      'The file is a trace without an expectation. Export it with one: exportTrace(record, { name, expects }).',
    );
  const expectation = readExpectation(expects);
  const run = runsOf(record).at(-1);
  if (run === undefined) return { met: null, sentence: 'It holds no run.', calls: 0 };
  if (agent === undefined)
    return resultOf(expectation, await meets(recordOfRun(record, run).state, expectation));
  const journal = journalOfRun(record, run);
  if (journal === null)
    return {
      met: null,
      sentence: 'It does not hold all events of its run, so it cannot be run again.',
      calls: 0,
    };
  try {
    const { state } = await replay(journal, agent, { isMasked: isRedacted });
    return resultOf(expectation, await meets(state, expectation));
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== 'replay-diverged') throw error;
    if (calls < 1)
      return {
        met: null,
        sentence: `It goes another way now, and no model was asked. ${error.message}`,
        calls: 0,
      };
    const cap = { calls, cost: null };
    const { experiment: _, ...plan } = await planExperiment(journal, agent, {
      expectation,
      variants: [],
      cap,
    });
    // What the agent did the same way before need not be asked again.
    const { stepNumber, agent: path } = error.data as {
      readonly stepNumber: number | null;
      readonly agent: readonly string[];
    };
    const step = stepNumber === null || path.length > 0 ? undefined : steps(plan.end)[stepNumber - 1];
    const stepId = step === undefined || stepNumber === 1 ? null : step.id;
    const start = { stepId, isBehindAnswer: false };
    const sampler = new Sampler({ ...plan, start }, env, signal ?? new AbortController().signal);
    const { met, why } = await sampler.sample({});
    return resultOf(expectation, { met, why: [why] }, sampler.calls);
  }
}

function resultOf(expectation: Expectation, { met, why }: Met, calls = 0): CaseResult {
  const [first = '', ...letters] = describeExpectation(expectation);
  const sentence = met === true ? `${first.toUpperCase()}${letters.join('')}.` : why.join(' ');
  return { met, sentence, calls };
}
