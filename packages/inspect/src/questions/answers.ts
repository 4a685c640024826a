import { request } from '@vitrine/core/internal/graph/sent';
import { type as stepType, responseText } from '@vitrine/core/internal/graph/agent-step';
import {
  breakHits,
  errors,
  finalResponse,
  pendingApprovals,
  status,
  stepExecutions,
  steps,
  stopReason,
  stopSignal,
  stopSignals,
  usage,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import type { Message, MessagePart } from '@vitrine/core/internal/graph/message';
import type { AgentState, AgentStep } from '@vitrine/core/internal/graph/types';
import type { ErrorInfo } from '@vitrine/core/internal/graph/error-info';
import type { StopSignal } from '@vitrine/core/internal/graph/stop-signal';
import { agentsOf } from '../agents-of.ts';
import { diff, type StateDifference } from '../diff.ts';
import { diagnose } from '../findings/diagnose.ts';
import { eventsOf, stateAt, stateBefore } from '../journal-record.ts';
import { leftOut } from '../left-out.ts';
import { overriddenSignals } from '../overridden-signals.ts';
import { runsOf, recordOfRun } from '../runs-of.ts';
import { brief, piecesOf, cutToLength } from './fit-answer.ts';
import {
  agentAt,
  type AskedRun,
  type AskedSession,
  type AskedStep,
  invalid,
  runOf,
  sessionOf,
  stepOf,
} from './places.ts';
import type { QuestionInputs } from './question-shapes.ts';

type Sessions = readonly AskedSession[];
type Answers = {
  readonly [Name in keyof QuestionInputs]: (sessions: Sessions, input: QuestionInputs[Name]) => unknown[];
};

/** The items of each answer. */
export const answers: Answers = {
  runs: (sessions, { session }) =>
    (session === undefined ? sessions : [sessionOf(sessions, session)]).flatMap(runsAnswer),
  whyStopped: (sessions, input) => whyStopped(runOf(sessions, input)),
  findings: (sessions, input) => findingsIn(runOf(sessions, input)),
  costOf: (sessions, input) => costOf(runOf(sessions, input)),
  promptAt: (sessions, input) => promptAt(stepOf(sessions, input)),
  leftOut: (sessions, input) => leftOutAt(stepOf(sessions, input)),
  stateAt: (sessions, input) => valueAt(stepOf(sessions, input), keysOf(input.path ?? [])),
  whoWrote: (sessions, input) => whoWrote(runOf(sessions, input), input.agent ?? [], keysOf(input.path)),
  diff: (sessions, { session, a, b }) =>
    differences(stepOf(sessions, { session, ...a }), stepOf(sessions, { session, ...b })),
};

function runsAnswer({ id, name, record }: AskedSession): unknown[] {
  return runsOf(record).map((run) => {
    const { state } = recordOfRun(record, run);
    return {
      session: id,
      name,
      run: run.number,
      request: cutToLength(run.request, 160),
      status: status(state),
      why: stopReason(state),
      steps: steps(state).length,
      ...spendingOf(state, record),
      errors: errors(state).length,
      agents: agentsOf(state).length,
    };
  });
}

function whyStopped({ run, state }: AskedRun): unknown[] {
  const chosen = stopSignal(state);
  const describeSignal = (signal: StopSignal): object => ({
    reason: signal.reason,
    message: signal.message,
    source: signal.source,
    context: brief(signal.context),
  });
  return [
    {
      run: run.number,
      status: status(state),
      ...(chosen === null ? { reason: stopReason(state) } : describeSignal(chosen)),
      steps: steps(state).length,
      answer: cutToLength(finalResponse(state), 300),
    },
    ...stopSignals(state)
      .filter((signal) => signal !== chosen)
      .map((signal) => ({ alsoSignalled: describeSignal(signal) })),
    ...overriddenSignals(state).map(({ signal }) => ({ overridden: describeSignal(signal) })),
    ...pendingApprovals(state).map(({ toolCall, status: waits }) => ({ waits, call: toolCall.name })),
    ...breakHits(state).map(({ at, path }) => ({ waits: 'breakpoint', ...at, agent: path })),
    ...agentsOf(state).flatMap(({ agent, name, state: own }) => [
      ...(agent.length > 0 ? [{ subagent: name, agent, status: status(own), reason: stopReason(own) }] : []),
      ...steps(own).flatMap((step, index) => step.errors.map((error) => errorItem(error, agent, index + 1))),
      ...(own.execution?.errors ?? []).map((error) => errorItem(error, agent, null)),
    ]),
  ];
}

function errorItem(
  { code, message, cause }: ErrorInfo,
  agent: readonly string[],
  step: number | null,
): object {
  return { error: { step, agent, code, message, cause: cause === null ? null : cause.message } };
}

const weights = { fault: 0, hint: 1 };

function findingsIn({ session, run, state }: AskedRun): unknown[] {
  const found = diagnose(session.record)
    .filter(({ address }) => address.executionId === run.executionId)
    .sort((a, b) => weights[a.severity] - weights[b.severity]);
  const numbers = new Map(
    agentsOf(state).flatMap(({ state: own }) => steps(own).map(({ id }, index) => [id, index + 1] as const)),
  );
  return found.map(({ code, severity, sentence, remedy, address, evidence }) => ({
    code,
    severity,
    sentence,
    remedy,
    agent: address.path,
    step: address.stepId === undefined ? null : (numbers.get(address.stepId) ?? null),
    toolCallId: address.toolCallId ?? null,
    statePath: address.statePath?.join('.') ?? null,
    evidence: Object.fromEntries(Object.entries(evidence).map(([fact, value]) => [fact, brief(value, 200)])),
  }));
}

type Knowing = Pick<AskedSession['record'], 'knows'>;

const notKnown = 'not known: the source of this run does not tell it';

function spendingOf(state: AgentState, { knows }: Knowing): object {
  if (knows?.usage === false) return { tokens: notKnown };
  const { inputTokens, outputTokens, totalTokens, cost } = usage(state);
  return { inputTokens, outputTokens, totalTokens, cost };
}

function costOf({ session: { record }, run, state }: AskedRun): unknown[] {
  return [
    { run: run.number, ...spendingOf(state, record), durationMs: durationOf(state) },
    ...agentsOf(state).flatMap(({ agent, name, state: own }) => [
      ...(agent.length > 0
        ? [{ subagent: name, agent, ...spendingOf(own, record), durationMs: durationOf(own) }]
        : []),
      ...steps(own).map((step, index) => costOfStep(own, step, { agent, index, record })),
    ]),
  ];
}

function durationOf(state: AgentState): number {
  return Math.round(stepExecutions(state).reduce((sum, { durationMs }) => sum + durationMs, 0));
}

function roundTime(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : Math.round(milliseconds);
}

function costOfStep(
  state: AgentState,
  step: AgentStep,
  { agent, index, record }: Readonly<{ agent: readonly string[]; index: number; record: Knowing }>,
): object {
  const used = step.inferenceResponse?.usage;
  const ended = stepExecutions(state).find(({ id }) => id === step.id);
  return {
    step: index + 1,
    agent,
    type: stepType(step),
    model: step.sent?.model ?? null,
    durationMs: roundTime(ended?.durationMs),
    ...(used === undefined || record.knows?.usage === false ? {} : spendingOfUsage(used)),
    tools: step.toolExecutions.map((call) => ({
      id: call.id,
      name: call.toolCall.name,
      status: call.status,
      durationMs: roundTime(call.durationMs),
    })),
  };
}

function spendingOfUsage(used: NonNullable<AgentStep['inferenceResponse']>['usage']): object {
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens, cost } = used;
  return { inputTokens, outputTokens, reasoningTokens, cacheReadTokens, cost };
}

function promptAt({ session, called, step, number, agent }: AskedStep): unknown[] {
  const sent = request(called, step);
  if (sent === null) throw invalid(`In step ${number} no model was called.`);
  const { model, systemPrompt, messages, tools, toolChoice, responseFormat, settings } = sent;
  const answer = {
    answer: cutToLength(responseText(step), 300),
    finishReason: step.inferenceResponse?.finishReason ?? null,
  };
  if (session.record.knows?.prompt === false)
    return [
      { step: number, agent, request: notKnown, conversation: messages.length },
      ...messages.flatMap(messageItems),
      answer,
    ];
  return [
    { step: number, agent, model, settings, toolChoice, responseFormat, messages: messages.length },
    ...piecesOf(systemPrompt).map((text) => ({ system: text })),
    ...(Array.isArray(tools)
      ? (tools as readonly unknown[]).map((tool) => ({ tool: brief(tool, 600) }))
      : []),
    ...messages.flatMap(messageItems),
    answer,
  ];
}

function messageItems({ role, parts }: Message, index: number): object[] {
  return parts.flatMap((part): object[] => {
    const own = { message: index + 1, role };
    if (part.type === 'text' || part.type === 'reasoning')
      return piecesOf(part.text).map((text) => ({ ...own, [part.type]: text }));
    return [{ ...own, [part.type]: partItem(part) }];
  });
}

function partItem(part: MessagePart): unknown {
  switch (part.type) {
    case 'tool-call':
      return { toolCallId: part.toolCallId, toolName: part.toolName, input: brief(part.input, 600) };
    case 'tool-result':
      return {
        toolCallId: part.toolCallId,
        toolName: part.toolName,
        outcome: part.outcome,
        output: brief(part.output, 600),
      };
    case 'file':
      return { mediaType: part.mediaType, filename: part.filename };
    default:
      return brief(part, 600);
  }
}

function leftOutAt({ session, called, step, number }: AskedStep): unknown[] {
  if (step.sent === null) throw invalid(`In step ${number} no model was called.`);
  if (session.record.knows?.prompt === false) return [{ step: number, leftOut: notKnown }];
  const found = leftOut(called, step);
  return [
    { step: number, leftOut: found.length },
    ...found.map(({ message, section, reason, sentAs }) => ({
      section,
      reason,
      role: message.role,
      content: brief(message.parts, 300),
      ...(sentAs === null ? {} : { sentAs: brief(sentAs.parts, 300) }),
    })),
  ];
}

/** The keys of a path in dots and brackets, or given one by one. */
function keysOf(path: string | readonly string[]): readonly string[] {
  if (typeof path !== 'string') return path;
  return path.replaceAll('[', '.').replaceAll(']', '').split('.').filter(Boolean);
}

function readPath(state: unknown, keys: readonly string[]): unknown {
  let value = state;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as { readonly [key: string]: unknown })[key];
  }
  return value;
}

function valueAt({ called, ended, number }: AskedStep, keys: readonly string[]): unknown[] {
  const state = ended ?? called;
  const value = readPath(state, keys);
  if (value === undefined) {
    const depth = keys.findIndex((_, index) => readPath(state, keys.slice(0, index + 1)) === undefined);
    const parent = readPath(state, keys.slice(0, depth));
    const known = typeof parent === 'object' && parent !== null ? Object.keys(parent).slice(0, 30) : [];
    throw invalid(
      `At the end of step ${number} the state has nothing at ${keys.slice(0, depth + 1).join('.')}; ` +
        (known.length === 0 ? 'there is no key.' : `the keys there are ${known.join(', ')}.`),
    );
  }
  if (typeof value === 'string') return piecesOf(value).map((text) => ({ text }));
  if (typeof value !== 'object' || value === null) return [{ value }];
  return Object.entries(value).map(([key, child]: [string, unknown]) => ({ [key]: brief(child, 300) }));
}

function whoWrote(
  { session, run, state }: AskedRun,
  agent: readonly string[],
  keys: readonly string[],
): unknown[] {
  if (keys.length === 0) throw invalid('Name a path below the state, e.g. "context.systemPrompt".');
  if (agentAt(state, agent) === null)
    throw invalid(`There is no agent behind the calls ${agent.join(', ')}.`);
  const { record } = session;
  const found: (Write & { times: number })[] = [];
  let before = readPath(agentAt(stateBefore(record, Math.max(0, run.first)), agent), keys);
  for (let index = Math.max(0, run.first); index <= run.last; index++) {
    const entry = eventsOf(record)[index];
    const now = readPath(agentAt(stateAt(record, index), agent), keys);
    if (entry === undefined || Object.is(now, before)) continue;
    const { event, stepNumber, toolName, count } = entry;
    const source = 'source' in event ? event.source : null;
    const write = {
      event: event.type,
      seq: event.seq,
      step: stepNumber,
      by: source ?? toolName ?? 'the loop',
      now,
    };
    const last = found.at(-1);
    if (last?.event === write.event && last.step === write.step && last.by === write.by)
      Object.assign(last, write, { times: last.times + count });
    else found.push({ ...write, before, times: count });
    before = now;
  }
  if (found.length === 0) return [{ written: 0, value: brief(readPath(agentAt(state, agent), keys), 300) }];
  return found.map((write) => ({ ...write, before: brief(write.before, 300), now: brief(write.now, 300) }));
}
type Write = {
  readonly event: string;
  readonly seq: number | null;
  readonly step: number | null;
  readonly by: string;
  readonly before: unknown;
  readonly now: unknown;
};

function differences(a: AskedStep, b: AskedStep): unknown[] {
  const [before, after] = [a.ended ?? a.called, b.ended ?? b.called];
  const found: readonly StateDifference[] = diff(before, after);
  return found.map(({ path, kind, before: old, after: now }) => ({
    path: path.join('.'),
    kind,
    ...(old === undefined ? {} : { before: brief(old, 240) }),
    ...(now === undefined ? {} : { after: brief(now, 240) }),
  }));
}
