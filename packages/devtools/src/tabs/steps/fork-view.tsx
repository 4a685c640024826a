import { type AgentSession, AgentState } from '@vitrine/core';
import {
  type ForkEdit,
  type Forks,
  forkRuns,
  type HubSource,
  journalOfRun,
  runsOf,
  sessionHub,
} from '@vitrine/inspect';
import { everyCallOf } from '@vitrine/inspect/internal/agents-of';
import { describeDifference } from '@vitrine/inspect/internal/experiments/first-difference';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext, useMemo, useState, useSyncExternalStore } from 'react';
import { preview } from '../../kit/format.ts';
import { Problem } from '../../kit/notice.tsx';
import { PanelSources } from '../../kit/contexts.ts';
import { createThrottle } from '../../kit/use-throttled.ts';
import { type Texts, useTexts } from '../../texts.ts';
import type { StepPageProps } from './step-record.ts';
import { heldCalls, HeldCalls, Wait } from '../debug/break-bar.tsx';
import { Cap, EditForm } from '../debug/edit-form.tsx';
import { describeEdit, editablesOfStep } from '../debug/editable.ts';

type Planned = { readonly label: string; readonly edit: ForkEdit };
type Running = {
  readonly stepId: string;
  readonly planned: readonly Planned[];
  readonly forks: Forks;
  readonly begunAt: number;
};

/** Greatest number of forks at a time. */
const most = 5;
/** The forks of each source; they go on while another page is open. */
const known = new WeakMap<HubSource, Running>();

/** Runs a run on from a step with up to five changes, and compares what comes of them. */
export function ForkView({ record, source, root, isOfSubagent }: StepPageProps): ReactNode {
  const texts = useTexts();
  const { forks: words } = texts;
  const { step, number, after } = record;
  const [planned, setPlanned] = useState<readonly Planned[]>([]);
  const [caps, setCaps] = useState({ tokens: '20000', cost: '' });
  const [problem, setProblem] = useState('');
  const [running, setRunning] = useState(() => known.get(source) ?? null);
  const agent = source.agent?.() ?? null;
  // A fork from a step of a subagent runs the root on as well.
  const whole = isOfSubagent ? root : after;
  const run = runsOf(whole).at(-1);
  const journal = run === undefined ? null : journalOfRun(whole, run);
  if (journal === null) return <p className="facts">{words.none}</p>;
  if (agent === null) return <p className="facts">{words.noAgent}</p>;
  const state = record.stateBefore ?? after.state;
  const editables = editablesOfStep(
    state,
    { calls: step.toolExecutions, model: step.sent?.model ?? null },
    isOfSubagent ? null : agent,
    texts,
  );
  const begin = async (): Promise<void> => {
    await running?.forks.end();
    const edits = planned.map(({ edit }) => edit);
    const cap = { tokens: amountOf(caps.tokens), cost: amountOf(caps.cost) };
    try {
      const next = beginForks({ agent, journal, stepId: step.id, edits, cap }, planned);
      known.set(source, next);
      setRunning(next);
      setProblem('');
    } catch (thrown) {
      setProblem(
        words.failed(redactText(thrown instanceof Error ? thrown.message : String(thrown), 'message')),
      );
    }
  };
  const own = running?.stepId === step.id ? running : null;
  const acting = agent.hooks.flatMap(({ name, effects }) => (effects === 'once' ? [name] : []));
  return (
    <div className="stacked spaced">
      <p className="facts">{words.intro}</p>
      <p className="facts">
        {words.before(countsByTool(recordedState(source, whole.state)), acting.join(', '))}
      </p>
      {planned.length < most && (
        <EditForm
          key={step.id}
          editables={editables}
          agent={agent}
          submit={words.add}
          onEdit={async (edit, label) => {
            setPlanned((before) => [...before, { edit, label: describeEdit(label, edit) }]);
            return null;
          }}
        />
      )}
      <PlannedForks planned={planned} onChange={setPlanned} />
      <div className="caps beside wrapping">
        <Cap label={words.capTokens} value={caps.tokens} onValue={(tokens) => setCaps({ ...caps, tokens })} />
        <Cap label={words.capCost} value={caps.cost} onValue={(cost) => setCaps({ ...caps, cost })} />
        <button disabled={planned.length === 0} onClick={() => void begin()}>
          {words.run(planned.length)}
        </button>
        {own && <button onClick={() => void own.forks.end()}>{words.stop}</button>}
      </div>
      <Problem text={problem} />
      {own && (
        <Compared
          running={own}
          from={isOfSubagent ? 1 : number}
          recorded={recordedState(source, whole.state)}
        />
      )}
    </div>
  );
}

function beginForks(options: Parameters<typeof forkRuns>[0], planned: readonly Planned[]): Running {
  return { stepId: options.stepId, planned, forks: forkRuns(options), begunAt: Date.now() };
}

type PlannedForksProps = {
  readonly planned: readonly Planned[];
  readonly onChange: (planned: readonly Planned[]) => void;
};

/** The forks that are to run, which can be removed. */
function PlannedForks({ planned, onChange }: PlannedForksProps): ReactNode {
  const { forks: words } = useTexts();
  return (
    <ol className="planned">
      {planned.map(({ label }, index) => (
        <li key={index}>
          {label}{' '}
          <button onClick={() => onChange(planned.filter((_entry, at) => at !== index))}>
            {words.remove}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The recorded run as far as it is known: it may have gone on since. */
function recordedState({ journal }: HubSource, state: AgentState): AgentState {
  const live = journal.state();
  return live.execution?.executionId === state.execution?.executionId ? live : state;
}

/** An amount of a cap; null for an empty field, which caps nothing. */
function amountOf(text: string): number | null {
  const amount = Number(text);
  return text.trim() === '' || !(amount >= 0) ? null : amount;
}

type ComparedProps = { readonly running: Running; readonly from: number; readonly recorded: AgentState };

function Compared({ running, from, recorded }: ComparedProps): ReactNode {
  const texts = useTexts();
  const { forks: words, formats } = texts;
  const { sessions, spending, sourceOf } = running.forks;
  useChanges(sessions);
  const { tokens, cost } = spending();
  const columns = sessions.map((session, index) => {
    const { state } = session.store.getState();
    const calls = words.sources(forkedCalls(state, (id) => sourceOf(index, id)));
    return { label: running.planned[index]?.label ?? '', state, session, calls };
  });
  const rows: readonly { readonly name: string; readonly of: (state: AgentState) => string }[] = [
    { name: words.status, of: (state) => statusOf(state, texts) },
    { name: words.steps, of: (state) => formats.number(AgentState.stepCount(state)) },
    { name: words.tokens, of: (state) => formats.number(AgentState.usage(state).totalTokens) },
    { name: words.cost, of: (state) => costOf(AgentState.usage(state).cost, texts) },
    { name: words.time, of: (state) => formats.duration(Math.max(0, state.updatedAt - running.begunAt)) },
    {
      name: words.difference,
      of: (state) =>
        state === recorded ? '' : describeDifference(recorded, state, { from, words }) || words.same,
    },
    { name: words.answer, of: (state) => preview(AgentState.finalResponse(state), ['text'], 300) },
  ];
  return (
    <div className="compared scroll">
      {columns.map(({ label, state, session }, index) => (
        <Held key={index} label={label} state={state} session={session} />
      ))}
      <table>
        <caption>{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{words.change}</th>
            <th scope="col">{words.recorded}</th>
            {columns.map(({ label, session }, index) => (
              <th key={index} scope="col">
                {label} <OpenFork label={label} session={session} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{words.calls}</th>
            <td>{countsByTool(recorded)}</td>
            {columns.map(({ calls }, index) => (
              <td key={index}>{calls}</td>
            ))}
          </tr>
          {rows.map(({ name, of }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {name === words.time
                  ? formats.duration(AgentState.executionDuration(recorded))
                  : of(recorded)}
              </td>
              {columns.map(({ state }, index) => (
                <td key={index}>{of(state)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="facts">{words.spent(formats.number(tokens), formats.cost(cost))}</p>
    </div>
  );
}

/** The session of a fork as a run of its own, with all views of the panel. */
function OpenFork({ label, session }: { readonly label: string; readonly session: AgentSession }): ReactNode {
  const { forks: words } = useTexts();
  const { open } = useContext(PanelSources);
  const source = sessionHub()
    .sources()
    .find(({ commands }) => commands === session);
  if (source === undefined) return null;
  return (
    <button aria-label={words.openLabel(label)} onClick={() => open(source)}>
      {words.open}
    </button>
  );
}

type HeldProps = { readonly label: string; readonly state: AgentState; readonly session: AgentSession };

/** The waits of a fork: calls that the record does not have, and models behind which tools run. */
function Held({ label, state, session }: HeldProps): ReactNode {
  const hits = AgentState.breakHits(state);
  if (hits.length + heldCalls(state).length === 0) return null;
  return (
    <section className="fork-held stacked" aria-label={label}>
      <strong>{label}</strong>
      {hits.map((hit) => (
        <Wait key={JSON.stringify(hit)} source={{ commands: session }} state={state} hit={hit} />
      ))}
      <HeldCalls state={state} commands={session} />
    </section>
  );
}

function countsByTool(state: AgentState): string {
  const counts = new Map<string, number>();
  for (const { toolCall } of everyCallOf(state))
    counts.set(toolCall.name, (counts.get(toolCall.name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}

function forkedCalls(
  state: AgentState,
  sourceOf: (id: string) => 'record' | 'tool' | undefined,
): Record<'record' | 'tool' | 'given' | 'held', number> {
  const counts = { record: 0, tool: 0, given: 0, held: 0 };
  for (const { id, approval, status } of everyCallOf(state)) {
    const own = approval?.cause !== 'fork' ? null : status === 'awaiting-approval' ? 'held' : 'given';
    const source = sourceOf(id) ?? own;
    if (source !== null) counts[source]++;
  }
  return counts;
}

function costOf(cost: number | null, { formats, header }: Texts): string {
  return cost === null ? header.costUnknown : formats.cost(cost);
}

function statusOf(state: AgentState, { runStates, header }: Texts): string {
  const status = AgentState.status(state) ?? 'idle';
  const waits = AgentState.pendingApprovals(state).length + AgentState.breakHits(state).length;
  return status === 'in-progress' && waits > 0 ? header.waitingForYou : (runStates[status] ?? status);
}

/** Draws again when a session has changed, at most ten times a second. */
function useChanges(sessions: readonly AgentSession[]): void {
  const changes = useMemo(() => {
    const subscribe = (listener: () => void): (() => void) => {
      const ends = sessions.map((session) => session.store.subscribe(listener));
      return () => ends.forEach((end) => end());
    };
    return createThrottle(
      subscribe,
      () => sessions.map((session) => session.store.getState()),
      () => 100,
    );
  }, [sessions]);
  useSyncExternalStore(changes.subscribe, changes.getSnapshot);
}
