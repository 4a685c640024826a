import { type AgentSession, AgentState, AgentStep, type JsonValue } from '@vitrine/core';
import { type ForkEdit, type Forks, forkRuns, type HubSource, journalOfRun, runsOf } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useEffect, useState } from 'react';
import { preview } from '../../kit/format.ts';
import { type Texts, useTexts } from '../../texts.ts';
import type { StepPageProps } from './step-record.ts';
import { EditForm } from '../debug/edit-form.tsx';
import { editablesOfStep } from '../debug/editable.ts';

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
      const forks = forkRuns({ agent, journal, stepId: step.id, edits, cap });
      const next = { stepId: step.id, planned, forks, begunAt: Date.now() };
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
  return (
    <div className="forks">
      <p className="facts">{words.intro}</p>
      {planned.length < most && (
        <EditForm
          key={step.id}
          editables={editables}
          agent={agent}
          submit={words.add}
          onEdit={async (edit, label) => {
            setPlanned((before) => [...before, { edit, label: labelOf(label, edit) }]);
            return null;
          }}
        />
      )}
      <PlannedForks planned={planned} onChange={setPlanned} />
      <div className="caps">
        <Cap label={words.capTokens} value={caps.tokens} onValue={(tokens) => setCaps({ ...caps, tokens })} />
        <Cap label={words.capCost} value={caps.cost} onValue={(cost) => setCaps({ ...caps, cost })} />
        <button disabled={planned.length === 0} onClick={() => void begin()}>
          {words.run(planned.length)}
        </button>
        {own && <button onClick={() => void own.forks.end()}>{words.stop}</button>}
      </div>
      {problem !== '' && (
        <p className="note" role="alert">
          {problem}
        </p>
      )}
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

function labelOf(label: string, edit: ForkEdit): string {
  const { toolCallId: _id, message, ...rest } = edit;
  const [value = ''] = [...(message === undefined ? [] : [message.text]), ...Object.values(rest)];
  return `${label}: ${preview(value as JsonValue, ['input'], 60)}`;
}

type CapProps = {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
};

function Cap({ label, value, onValue }: CapProps): ReactNode {
  return (
    <label>
      {label}{' '}
      <input
        type="number"
        min="0"
        step="any"
        value={value}
        onChange={({ target }) => onValue(target.value)}
      />
    </label>
  );
}

type ComparedProps = { readonly running: Running; readonly from: number; readonly recorded: AgentState };

/** The forks beside what was recorded. */
function Compared({ running, from, recorded }: ComparedProps): ReactNode {
  const texts = useTexts();
  const { forks: words, formats } = texts;
  const { sessions, spending } = running.forks;
  useChanges(sessions);
  const { tokens, cost } = spending();
  const columns = sessions.map((session, index) => {
    const { state } = session.store.getState();
    return { label: running.planned[index]?.label ?? '', state };
  });
  const rows: readonly { readonly name: string; readonly of: (state: AgentState) => string }[] = [
    { name: words.status, of: (state) => statusOf(state, texts) },
    { name: words.steps, of: (state) => formats.number(AgentState.stepCount(state)) },
    { name: words.tokens, of: (state) => formats.number(AgentState.usage(state).totalTokens) },
    { name: words.cost, of: (state) => costOf(AgentState.usage(state).cost, texts) },
    { name: words.time, of: (state) => formats.duration(Math.max(0, state.updatedAt - running.begunAt)) },
    { name: words.difference, of: (state) => differenceOf(recorded, state, from, texts) },
    { name: words.answer, of: (state) => preview(AgentState.finalResponse(state), ['text'], 300) },
  ];
  return (
    <div className="compared scroll">
      <table>
        <caption>{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{words.change}</th>
            <th scope="col">{words.recorded}</th>
            {columns.map(({ label }, index) => (
              <th key={index} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
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

function costOf(cost: number | null, { formats, header }: Texts): string {
  return cost === null ? header.costUnknown : formats.cost(cost);
}

function statusOf(state: AgentState, { runStates, header }: Texts): string {
  const status = AgentState.status(state) ?? 'idle';
  return status === 'in-progress' && AgentState.pendingApprovals(state).length > 0
    ? header.waitingForYou
    : (runStates[status] ?? status);
}

/** The first step at which a fork differs from the record, in a few words. */
function differenceOf(recorded: AgentState, fork: AgentState, from: number, { forks: words }: Texts): string {
  if (recorded === fork) return '';
  const [was, is] = [AgentState.steps(recorded), AgentState.steps(fork)];
  for (let at = from - 1; at < Math.max(was.length, is.length); at++) {
    const [before, after] = [outlineOf(was[at], words.ended), outlineOf(is[at], words.ended)];
    if (before !== after)
      return words.differs(at + 1, preview(before, ['text'], 80), preview(after, ['text'], 80));
  }
  return words.same;
}

/** A step in one line: its calls with their arguments and results, or its text. */
function outlineOf(step: AgentStep | undefined, none: string): string {
  if (step === undefined) return none;
  const calls = step.toolExecutions.map(({ toolCall, result, status }) => {
    const outcome = result === undefined ? status : JSON.stringify(result);
    return `${toolCall.name}(${JSON.stringify(toolCall.input)}) ${outcome}`;
  });
  return calls.length > 0 ? calls.join(', ') : AgentStep.responseText(step);
}

/** Draws again when a session has changed, at most ten times a second. */
function useChanges(sessions: readonly AgentSession[]): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setCount((count) => count + 1);
      }, 100);
    };
    const ends = sessions.map((session) => session.store.subscribe(draw));
    return () => {
      clearTimeout(timer);
      ends.forEach((end) => end());
    };
  }, [sessions]);
}
