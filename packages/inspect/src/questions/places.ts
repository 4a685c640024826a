import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState, AgentStep } from '@vitrine/core/internal/graph/types';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { agentsOf } from '../agents-of.ts';
import { eventsOf, type JournalRecord, stateAt } from '../journal-record.ts';
import { type RecordedRun, recordOfRun, runsOf } from '../runs-of.ts';

/** A session that questions are asked about. */
export type AskedSession = { readonly id: string; readonly name: string; readonly record: JournalRecord };

/** A run with its session, and the record at its end. */
export type AskedRun = {
  readonly session: AskedSession;
  readonly run: RecordedRun;
  /** The state of the main agent at its end. */
  readonly state: AgentState;
};

export type AskedStep = AskedRun & {
  readonly agent: readonly string[];
  readonly number: number;
  readonly step: AgentStep;
  /** The state of its agent when the model was called; at the end of the run where that was not recorded. */
  readonly called: AgentState;
  /** The state of its agent at the end of the step; null where that was not recorded. */
  readonly ended: AgentState | null;
};

/** The session of an id, of its beginning or a name; else the last one. @throws AgentError `question-invalid` */
export function sessionOf(sessions: readonly AskedSession[], wanted: string | undefined): AskedSession {
  const latest = (found: readonly AskedSession[]): AskedSession | undefined =>
    [...found].sort((a, b) => a.record.state.updatedAt - b.record.state.updatedAt).at(-1);
  const found =
    wanted === undefined
      ? latest(sessions)
      : (sessions.find(({ id }) => id === wanted) ??
        latest(sessions.filter(({ id, name }) => name === wanted || id.startsWith(wanted))));
  if (found !== undefined) return found;
  const names = sessions.slice(0, 5).map(({ id, name }) => `${id} (${name})`);
  const known = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`;
  throw invalid(`No session ${wanted === undefined ? 'is there' : `"${wanted}" was found`}. ${known}`);
}

/** The run of a number; else the last one. @throws AgentError `question-invalid` when there is none */
export function runOf(
  sessions: readonly AskedSession[],
  {
    session: wanted,
    run: number,
  }: { readonly session?: string | undefined; readonly run?: number | undefined },
): AskedRun {
  const session = sessionOf(sessions, wanted);
  const runs = runsOf(session.record);
  const run = number === undefined ? runs.at(-1) : runs.find((one) => one.number === number);
  if (run !== undefined) return { session, run, state: recordOfRun(session.record, run).state };
  const known = runs.map((one) => one.number);
  throw invalid(
    known.length === 0
      ? `Nothing has run in the session ${session.id}.`
      : `There is no run ${number} in the session ${session.id}; its runs are ${known.join(', ')}.`,
  );
}

/** The state of the agent that a list of tool calls leads to; null when there is none. */
export function agentAt(state: AgentState, agent: readonly string[]): AgentState | null {
  return agentsOf(state).find((below) => below.agent.join('/') === agent.join('/'))?.state ?? null;
}

/** The step of a number, or of an id in any agent. @throws AgentError `question-invalid` when there is none */
export function stepOf(
  sessions: readonly AskedSession[],
  where: {
    readonly session?: string | undefined;
    readonly run?: number | undefined;
    readonly agent?: readonly string[] | undefined;
    readonly step: number | string;
  },
): AskedStep {
  const asked = runOf(sessions, where);
  const { step: wanted, agent = [] } = where;
  const agents = agentsOf(asked.state);
  const below =
    typeof wanted === 'string'
      ? agents.find(({ state }) => steps(state).some(({ id }) => id === wanted))
      : agents.find((one) => one.agent.join('/') === agent.join('/'));
  if (below === undefined)
    throw invalid(
      typeof wanted === 'string'
        ? `There is no step "${wanted}" in run ${asked.run.number}.`
        : `There is no agent behind the calls ${agent.join(', ')} in run ${asked.run.number}.`,
    );
  const all = steps(below.state);
  const index = typeof wanted === 'string' ? all.findIndex(({ id }) => id === wanted) : wanted - 1;
  const step = all[index];
  if (step === undefined) {
    const found = all.length === 1 ? 'one step' : `${all.length} steps`;
    throw invalid(`There is no step ${wanted} in run ${asked.run.number}, which has ${found}.`);
  }
  const moments = momentsOf(asked.session.record).get(step.id);
  const stateOf = (at: number | null | undefined): AgentState | null =>
    at === null || at === undefined ? null : agentAt(stateAt(asked.session.record, at), below.agent);
  return {
    ...asked,
    agent: below.agent,
    number: index + 1,
    step,
    called: stateOf(moments?.calledAt) ?? below.state,
    ended: stateOf(moments?.endedAt),
  };
}

/** The last model call and the end of each step of all agents, as indexes of `eventsOf(record)`. */
const momentsOf = memoize((record: JournalRecord): ReadonlyMap<string, Moments> => {
  const moments = new Map<string, Moments>();
  const current = new Map<string, string>();
  for (const [index, { event }] of eventsOf(record).entries()) {
    const agent = event.path.join('/');
    if (event.type === 'step-start') {
      current.set(agent, event.stepId);
      moments.set(event.stepId, { calledAt: null, endedAt: null });
    }
    const id = current.get(agent);
    const known = id === undefined ? undefined : moments.get(id);
    if (id === undefined || known === undefined) continue;
    const calledAt = event.type === 'inference-start' ? index : known.calledAt;
    moments.set(id, { calledAt, endedAt: index });
    // The next event may belong to the time between two steps, or to the next run.
    if (event.type === 'step-end') current.delete(agent);
  }
  return moments;
});
type Moments = { readonly calledAt: number | null; readonly endedAt: number | null };

/** The error for a question that cannot be answered, with the reason. */
export function invalid(why: string): AgentError {
  return new AgentError('question-invalid', why);
}
