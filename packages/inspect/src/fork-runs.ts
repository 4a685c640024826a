import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { breakHits } from '@vitrine/core/internal/graph/agent-state/accessors';
import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import { unlimited } from '@vitrine/core/internal/graph/execution-budget';
import { type SessionBudget, sessionSpent, type Spent } from '@vitrine/core/internal/graph/limits';
import type { LlmConfig } from '@vitrine/core/internal/graph/llm-config';
import type { AgentState, BreakEdit, SpentBefore } from '@vitrine/core/internal/graph/types';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { fromMillionths, toMillionths } from '@vitrine/core/internal/kit/numbers';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import { fold } from '@vitrine/core/internal/run/apply';
import type { AgentChange, AgentEventBody } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { createLedger } from '@vitrine/core/internal/run/ledger';
import { editEvents } from '@vitrine/core/internal/run/release-break';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createSessionUnder } from '@vitrine/core/internal/session/create-agent-session';
import { createForkCalls } from './fork-features.ts';
import {
  type ForkSwitch,
  type ForkSwitches,
  switchedAgent,
  switchesOf,
  withoutSettings,
} from './fork-switches.ts';
import { recordedCalls } from './recorded-calls.ts';
import { type JournalDocument, type ReadJournal, readJournal } from './replay/journal-document.ts';

/** The change with which a fork begins. Arguments and results name their call with `toolCallId`. */
export type ForkEdit = BreakEdit &
  ForkSwitches & {
    /** Another model, for the rest of the fork. */
    readonly model?: string;
  };

/** Options of `forkRuns`. */
export type ForkOptions = {
  readonly agent: AgentDefinition;
  /** The recorded run, with its events. */
  readonly journal: JournalDocument;
  /** The step at which the forks begin, of the root or of a subagent. */
  readonly stepId: string;
  /** One edit for each fork, five at most. */
  readonly edits: readonly ForkEdit[];
  /** The most that all forks together may spend. They never spend more: a call that might is not made. */
  readonly cap: SessionBudget;
  /** Output tokens of each model call without an own limit, so that its most is known before it is made. */
  readonly maxOutputTokens?: number;
  readonly env?: Env;
};

/** Forks of a run that go on side by side, each a session of its own in memory. */
export type Forks = {
  /** The sessions, in the order of the edits. */
  readonly sessions: readonly AgentSession[];
  /** The spending of all forks behind the step at which they begin. */
  readonly spending: () => SpentBefore;
  /**
   * The source of the outcome of a call in the fork at an index. Undefined for a call that waits, that a person gave a
   * result, or that lies before the fork.
   */
  readonly sourceOf: (index: number, toolCallId: string) => 'record' | 'tool' | undefined;
  /** Stops all runs and closes the sessions. */
  readonly end: () => Promise<void>;
};

const mostForks = 5;
/** Output tokens of a call without a limit. */
const usualOutput = 4096;

/**
 * Runs a recorded run on from one of its steps, once for each edit. What lies before the step comes from the record:
 * no model is called and no tool runs for it. Behind it models are asked, and hooks run unless they have effects. A call
 * that equals a recorded one (tool, and arguments after the schema) has its recorded outcome. Any other call of a tool
 * that is not idempotent waits: `approve` of its session runs it, `respond` gives it a result, and `reject` skips it. A
 * model behind which tools run is asked when `releaseWith` lets it.
 * @throws AgentError `edit-invalid` for an edit that does not fit the step, an unknown step, or more than five edits;
 * the errors of `readJournal`.
 */
export function forkRuns(options: ForkOptions): Forks {
  const { agent, edits, cap, maxOutputTokens, env = systemEnv } = options;
  if (edits.length > mostForks)
    throw unfit(`${edits.length} forks are asked for, and ${mostForks} are possible.`);
  const journal = readJournal(options.journal);
  const agents = edits.map((edit) => forkedAgent(switchedAgent(agent, edit), maxOutputTokens));
  const recorded = recordedCalls(journal);
  const states = edits.map((edit, index) =>
    forkedState(journal, { agent: agents[index] ?? agent, stepId: options.stepId, edit, env }),
  );
  // The states behind the last events, because a snapshot may be older.
  const live = [...states];
  const spending = (): SpentBefore =>
    spentIn(live.map((now, index) => ({ from: states[index] ?? now, now })));
  const ledger = createLedger({
    budget: { ...unlimited(), maxTokens: cap.tokens, maxCost: cap.cost },
    spending: (): Spent => ({ steps: 0, seconds: 0, ...spending() }),
    isStrict: true,
    env,
  });
  const calls = states.map((state, index) => createForkCalls(recorded, state, edits[index]));
  const sessions = states.map((initialState, index) => {
    const features = calls[index]?.features ?? [];
    const forked = agents[index] ?? agent;
    const session = createSessionUnder({ agent: forked, initialState, env }, { ledger, features });
    session.onEvent((_event, state) => void (live[index] = state));
    return session;
  });
  for (const session of sessions) void session.resume();
  return {
    sessions,
    spending,
    sourceOf: (index, toolCallId) => calls[index]?.sourceOf(toolCallId),
    async end() {
      await Promise.all(sessions.map((session) => session.stop()));
      await Promise.all(sessions.map((session) => session.dispose()));
    },
  };
}

/** The spending of forks, each between two of its states. */
export function spentIn(
  forks: readonly { readonly from: AgentState; readonly now: AgentState }[],
): SpentBefore {
  let [tokens, cost, hasUnknownCost] = [0, 0, false];
  for (const { from, now } of forks) {
    const [before, after] = [sessionSpent(from), sessionSpent(now)];
    tokens += after.tokens - before.tokens;
    cost += toMillionths(after.cost) - toMillionths(before.cost);
    hasUnknownCost ||= after.hasUnknownCost;
  }
  return { tokens, cost: fromMillionths(cost), hasUnknownCost };
}

type ForkStart = {
  readonly agent: AgentDefinition;
  /** The step; null for the beginning of the run, before any hook. */
  readonly stepId: string | null;
  /** True to begin behind the answer of the step, before its calls. */
  readonly isBehindAnswer?: boolean;
  readonly edit: ForkEdit;
  readonly env: Env;
};

/**
 * The state with which a fork begins. An edit of arguments or of a result begins behind the answer of the step, with
 * the other calls of that step as they ended in the record; any other edit begins before the step.
 */
export function forkedState({ base, events }: ReadJournal, given: ForkStart): AgentState {
  const { agent, stepId, edit, env } = given;
  const from = events.findIndex((event) =>
    stepId === null
      ? event.type === 'execution-start' && event.path.length === 0
      : event.type === 'step-start' && event.stepId === stepId,
  );
  const start = events[from];
  if (start === undefined) throw unfit('The step is not in the record of the run.');
  const { path } = start;
  const isOfCall = edit.input !== undefined || edit.result !== undefined;
  const isBehind = isOfCall || given.isBehindAnswer === true;
  const answer = isBehind ? endOfAnswer(events, from, path) : from - 1;
  const before = fold(base, events.slice(0, answer + 1));
  const root = { ...before, agentId: env.id(), breakpoints: [] };
  const journal = createJournal(root, { env });
  // A wait at a breakpoint of the record would hold the fork for ever, which has no breakpoints.
  for (const hit of breakHits(root)) journal.commit(hit.path, { type: 'break-release' });
  const { toolCallId } = edit;
  if (isOfCall)
    for (const { path: at, body } of otherCalls(events.slice(answer + 1), path, toolCallId ?? ''))
      journal.commit(at, body);
  const forked = stateAtPath(journal.state(), path);
  if (forked === null) throw unfit('The agent of the step is not in the record.');
  const { model, without = [], putBack, results, descriptions, whole, ...rest } = toJson(edit) as ForkEdit;
  for (const body of editEvents(forked, rest, null)) journal.commit(path, body);
  const switches = toJson({ without, putBack, results, descriptions, whole }) as JsonObject;
  if (switchesOf(edit).length > 0)
    journal.commit([], { type: 'metadata-change', source: 'user', set: { fork: switches }, removed: [] });
  const config = configOf(forked, agent, { model: model ?? modelOf(events), without });
  if (config !== null) journal.commit(path, { type: 'context-change', source: 'user', llmConfig: config });
  return journal.state();
}

function endOfAnswer(events: readonly AgentChange[], from: number, path: readonly string[]): number {
  const isOwn = (event: AgentChange): boolean => event.path.join('/') === path.join('/');
  const at = events.findIndex((event, index) => index > from && isOwn(event) && ends.has(event.type));
  if (events[at]?.type !== 'inference-end') throw unfit('The model did not finish the answer of this step.');
  return at;
}

const ends: ReadonlySet<string> = new Set(['inference-end', 'step-end', 'execution-end']);

/** The events of the other calls of a step that had ended in the record. */
function otherCalls(
  events: readonly AgentChange[],
  path: readonly string[],
  toolCallId: string,
): readonly { readonly path: readonly string[]; readonly body: AgentEventBody }[] {
  const agent = path.join('/');
  const end = events.findIndex((event) => event.type === 'step-end' && event.path.join('/') === agent);
  const own = (end < 0 ? events : events.slice(0, end)).flatMap((event) => {
    const isOwn = event.path.join('/') === agent;
    const below = event.path.slice(0, path.length).join('/') === agent ? event.path[path.length] : undefined;
    const call = isOwn ? ('toolCallId' in event ? event.toolCallId : undefined) : below;
    return call === undefined || call === toolCallId ? [] : [{ call, event }];
  });
  const settled = new Set(own.flatMap(({ call, event }) => (event.type === 'call-settle' ? [call] : [])));
  return own
    .filter(({ call }) => settled.has(call))
    .map(({ event: { seq: _seq, at: _at, path: own, ...body } }) => ({
      path: own,
      body: body as AgentEventBody,
    }));
}

/** The model that the recorded run was begun with, which may be that of its turn. */
function modelOf(events: readonly AgentChange[]): string | null {
  const started = events.find(({ type, path }) => type === 'execution-start' && path.length === 0);
  return started?.type === 'execution-start' ? started.model : null;
}

/** The configuration of a fork; null when that of the state or the agent is the same. */
function configOf(
  state: AgentState,
  agent: AgentDefinition,
  { model, without }: { readonly model: string | null; readonly without: readonly ForkSwitch[] },
): LlmConfig | null {
  const current = state.llmConfig ?? agent.llmConfig;
  const isSame = model === null || current?.model === model;
  // That of the state takes the place of that of the agent, so it needs the output limit as well.
  if (isSame && state.llmConfig === null) return null;
  const settings = { ...limitOf(agent), ...withoutSettings(current?.settings ?? {}, without) };
  return { ...current, model: isSame ? (current?.model ?? null) : model, settings };
}

function limitOf(agent: AgentDefinition): LlmConfig['settings'] {
  const limit = agent.llmConfig?.settings['maxOutputTokens'];
  return limit === undefined ? {} : { maxOutputTokens: limit };
}

/** The agents without hooks that have effects, and with an output limit, which an own one overrules. */
export function forkedAgent(
  agent: AgentDefinition,
  maxOutputTokens = usualOutput,
  depth = 0,
): AgentDefinition {
  const { llmConfig, subagents, hooks } = agent;
  const settings = { maxOutputTokens, ...llmConfig?.settings };
  return {
    ...agent,
    hooks: hooks.filter(({ effects }) => effects !== 'once'),
    llmConfig: { ...llmConfig, model: llmConfig?.model ?? null, settings },
    // Deeper ones are never begun.
    subagents:
      depth >= agent.subagentPolicy.maxDepth
        ? subagents
        : subagents.map((entry) => ({
            ...entry,
            agent: forkedAgent(entry.agent, maxOutputTokens, depth + 1),
          })),
  };
}

function unfit(why: string): AgentError {
  return new AgentError('edit-invalid', `The run cannot be forked there: ${why}`);
}
