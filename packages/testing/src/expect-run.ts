import type { AgentDefinition, AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import {
  errors,
  finalResponse,
  status,
  stepCount,
  stopReason,
  stopSignals,
  usage,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import { withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import { diagnose, type DiagnoseOptions } from '@vitrine/inspect/internal/findings/diagnose';
import { unknownCode } from '@vitrine/inspect/internal/findings/expected-findings';
import {
  describeExpectation,
  type Expectation,
  readExpectation,
} from '@vitrine/inspect/internal/experiments/expectation';
import { createJudge } from '@vitrine/inspect/internal/experiments/judge';
import { meets } from '@vitrine/inspect/internal/experiments/meets';
import type { Finding } from '@vitrine/inspect/internal/findings/finding';
import type { StopReason } from '@vitrine/core/internal/graph/stop-reason';
import type { AgentState, ExecutionStatus } from '@vitrine/core/internal/graph/types';
import type { InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import { type AgentLoopOptions, createAgentLoop } from '@vitrine/core/internal/agent-loop/create-agent-loop';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { type ScriptedEntry, scriptedInference } from './scripted-inference.ts';

/** Options of `expectRun`. */
export type ExpectRunOptions = Omit<AgentLoopOptions, 'onEvent'> & {
  /** The initial state. Default: a new state with one user message, `Hello`. */
  readonly state?: AgentState;
  readonly signal?: AbortSignal;
  /** Receives every event with the state after it. */
  readonly onEvent?: AgentLoopOptions['onEvent'];
};

/** The expected end besides status and reason; omitted fields are not compared. */
type ExpectedEnd = {
  readonly steps?: number;
  /** Number of calls of the agent's own model, attempts included. */
  readonly modelCalls?: number;
  /** The text of the final answer. */
  readonly text?: string;
  /** Total tokens of the execution, subagents included. */
  readonly tokens?: number;
};

/** A run that has ended, or waits for a person. */
export type RunRecord = {
  readonly state: AgentState;
  readonly events: readonly AgentEvent[];
  /** The requests to the agent's own model, in order. */
  readonly requests: readonly InferenceRequest[];
};

/** An expectation about a run, which runs once for each check. */
export type RunExpectation = {
  /**
   * Runs the agent and returns the run when it ended as expected. A null reason with the status `in-progress` is a
   * waiting run.
   * @throws Error with every line that differs, and with the errors of the run.
   */
  readonly toEnd: (
    status: ExecutionStatus,
    reason: StopReason | null,
    expected?: ExpectedEnd,
  ) => Promise<RunRecord>;
  /**
   * Runs the agent and returns the run when `diagnose` finds no fault in it, and with `hints` no hint either.
   * @throws Error with every such finding, its place and what to do
   */
  readonly hasNoFindings: (options?: NoFindingsOptions) => Promise<RunRecord>;
  /**
   * Runs the agent and returns the run when it meets the expectation.
   * @param options `judgements` is the most calls of the agent's own model that judge a rubric. Default: 0, so that a
   * `judge` is not decided and fails.
   * @throws Error with a sentence for each part that is not met or not decided
   */
  readonly meets: (
    expectation: Expectation,
    options?: { readonly judgements?: number },
  ) => Promise<RunRecord>;
};

type NoFindingsOptions = Pick<DiagnoseOptions, 'detectors'> & {
  /** Codes of findings that are expected, e.g. `['tool-result-changed']`. Default: none. */
  readonly except?: readonly string[];
  /** True to expect no hints either. Default: false, so that only faults fail. */
  readonly hints?: boolean;
};

/**
 * Runs a scripted agent (or a given one) and compares its end. Works with every test runner.
 * @example
 * const { state } = await expectRun([{ text: 'Hi' }], { budget: { maxSteps: 1 } }).toEnd('completed', 'completed', {
 * steps: 1 });
 */
export function expectRun(
  script: readonly ScriptedEntry[] | AgentDefinition,
  init: Partial<AgentInit> = {},
  options: ExpectRunOptions = {},
): RunExpectation {
  const agentOf = (): AgentDefinition =>
    'inference' in script ? script : defineAgent({ inference: scriptedInference(script), ...init });
  return {
    async hasNoFindings({ detectors, except = [], hints = false } = {}) {
      const { env, state: base = hello(env) } = options;
      const agent = agentOf();
      const record = await runRecorded(agent, { ...options, state: base });
      const { events } = record;
      const found = diagnose({ base, events }, { agent, ...(detectors === undefined ? {} : { detectors }) });
      const faults = found.filter(
        ({ severity, code, isExpected }) =>
          (hints || severity === 'fault' || code === unknownCode) &&
          isExpected !== true &&
          !except.includes(code),
      );
      if (faults.length > 0) throw new Error(describeFindings(record, faults));
      return record;
    },
    async meets(expectation, { judgements = 0 } = {}) {
      const agent = agentOf();
      const read = readExpectation(expectation);
      const record = await runRecorded(agent, options);
      const judge = judgements === 0 ? undefined : createJudge(agent, judgements, options.signal);
      const { met, why } = await meets(record.state, read, judge);
      if (met !== true)
        throw new Error(
          `The run ${met === null ? 'may not' : 'does not'} meet the expectation that ${describeExpectation(read)}.\n${why.map((line) => `  ${line}`).join('\n')}`,
        );
      return record;
    },
    async toEnd(expectedStatus, reason, expected = {}) {
      const agent = agentOf();
      const record = await runRecorded(agent, options);
      const differences = compareEnd(record, { status: expectedStatus, stopReason: reason, ...expected });
      if (differences.length > 0) throw new Error(explainDifferences(record, differences));
      return record;
    },
  };
}

async function runRecorded(agent: AgentDefinition, options: ExpectRunOptions): Promise<RunRecord> {
  const { state = hello(options.env), signal, onEvent, ...rest } = options;
  const events: AgentEvent[] = [];
  const requests: InferenceRequest[] = [];
  const { inference } = agent;
  const recorded: AgentDefinition = {
    ...agent,
    inference: {
      stream(request, given) {
        requests.push(request);
        return inference.stream(request, given);
      },
    },
  };
  const loop = createAgentLoop(recorded, {
    ...rest,
    onEvent(event, after) {
      events.push(event);
      onEvent?.(event, after);
    },
  });
  const end = await loop.execute(state, signal === undefined ? {} : { signal });
  return { state: end, events, requests };
}

function hello(env: Env = systemEnv): AgentState {
  return withUserMessage(create({}, env), 'Hello', env);
}

function compareEnd(
  { state, requests }: RunRecord,
  expected: ExpectedEnd & { status: ExecutionStatus; stopReason: StopReason | null },
): string[] {
  const actual: Record<string, unknown> = {
    status: status(state),
    stopReason: stopReason(state),
    steps: stepCount(state),
    modelCalls: requests.length,
    text: finalResponse(state),
    tokens: usage(state).totalTokens,
  };
  return Object.entries(expected).flatMap(([key, value]) =>
    Object.is(actual[key], value)
      ? []
      : [`  ${key}: expected ${JSON.stringify(value)}, was ${JSON.stringify(actual[key])}`],
  );
}

function explainDifferences({ state, events }: RunRecord, differences: readonly string[]): string {
  const signals = stopSignals(state).map(({ reason, message }) => `${reason}: ${message}`);
  const messages = errors(state).map(({ name, message }) => `${name}: ${message}`);
  return [
    'The run did not end as expected.',
    ...differences,
    `Stop signals: ${signals.join(' | ') || 'none'}`,
    `Errors: ${messages.join(' | ') || 'none'}`,
    `Events: ${trail(events)}`,
  ].join('\n');
}

/** The findings as a list for people, and the types of the events. */
function describeFindings({ state, events }: RunRecord, findings: readonly Finding[]): string {
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  return [
    `The run ended as ${status(state) ?? 'not begun'} (${stopReason(state) ?? 'no reason'}), and has ${count}.`,
    ...findings.map(
      ({ code, severity, sentence, remedy, address: { path, seq } }) =>
        `  ${severity} ${code}, event ${seq}${path.length === 0 ? '' : ` of subagent ${path.join('/')}`}: ${sentence}\n    ${remedy}`,
    ),
    `Events: ${trail(events)}`,
  ].join('\n');
}

/** The types of the events, with repeated ones once. */
function trail(events: readonly AgentEvent[]): string {
  const types = events.map(({ type, path }) => '> '.repeat(path.length) + type);
  return types.filter((type, index) => type !== types[index - 1]).join(', ');
}
