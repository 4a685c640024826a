import { AgentState } from '@vitrine/core';
import {
  type BudgetBar,
  budgetBars,
  type HubSource,
  type JournalRecord,
  type RecordedRun,
} from '@vitrine/core/inspect';
import { type ReactNode, useContext } from 'react';
import { formatCost, formatCount, formatDuration, formatNumber } from '../kit/format.ts';
import { IsRunning } from '../kit/is-running.ts';
import { verdict } from '../tabs/stop/verdict.ts';
import { type Held, heldIn } from './held-in.ts';

type HeaderProps = { readonly source: HubSource; readonly record: JournalRecord };

/** The status of a run in words. */
const statusWords = {
  idle: 'not run yet',
  pending: 'not started',
  'in-progress': 'running',
  completed: 'finished',
  stopped: 'stopped',
  failed: 'failed',
} as const;

/** The header of a session: its result in one sentence, its usage and its remaining budget. */
export function Header({ source, record }: HeaderProps): ReactNode {
  const { state } = record;
  const status = AgentState.status(state) ?? 'idle';
  const usage = AgentState.usage(state);
  const budget = source.budget?.();
  const bars = budget ? budgetBars(state, budget, source.agent?.() ?? null) : [];
  const seconds = bars.find(({ measure }) => measure === 'seconds')?.spent;
  const ms = seconds === undefined ? durationOf(state) : seconds * 1000;
  const withoutUsage = callsWithoutUsage(state);
  const note = withoutUsage === 0 ? '' : `; usage of ${formatCount(withoutUsage, 'stopped call')} unknown`;
  const estimated = usage.isEstimated === true ? ', partly estimated' : '';
  const isRunning = useContext(IsRunning);
  return (
    <div className="header">
      <p className="verdict" data-status={status}>
        {verdict(state, isRunning)}
      </p>
      <span className="agent">{source.name}</span>
      <span className={`chip status-${status}`}>{chipOf(state, isRunning)}</span>
      <span className="figure">run {state.executionCount}</span>
      {status !== 'idle' && <span className="figure">{formatDuration(ms)}</span>}
      <span
        className="figure"
        title={`${usage.inputTokens} in, ${usage.outputTokens} out${estimated}${note}`}
      >
        {estimated === '' ? '' : 'about '}
        {formatNumber(usage.totalTokens)} tok{note === '' ? '' : ' or more'}
      </span>
      <span className="figure">{usage.cost === null ? 'cost unknown' : formatCost(usage.cost)}</span>
      <div className="bars">
        {bars.map((bar) => (
          <Bar key={bar.key} bar={bar} held={heldIn(record)} />
        ))}
      </div>
    </div>
  );
}

type HeaderOfMessagesProps = { readonly source: HubSource; readonly run: RecordedRun };

/** The header of a run of which only the messages are left. */
export function HeaderOfMessages({ source, run }: HeaderOfMessagesProps): ReactNode {
  return (
    <div className="header">
      <p className="verdict">The result of this run was not stored.</p>
      <span className="agent">{source.name}</span>
      <span className="figure">run {run.number}</span>
    </div>
  );
}

function chipOf(state: AgentState, isRunning: boolean | null): string {
  const status = AgentState.status(state) ?? 'idle';
  if (status !== 'in-progress') return statusWords[status] ?? status;
  if (AgentState.pendingApprovals(state).length > 0) return 'waiting for you';
  return isRunning === false ? 'interrupted' : statusWords[status];
}

/** Number of model calls that ended before the provider reported usage, including those of subagents. */
function callsWithoutUsage(state: AgentState): number {
  const isOver = AgentState.status(state) !== 'in-progress';
  return AgentState.steps(state).reduce((sum, step) => {
    const isOpen = !isOver && step === AgentState.currentStep(state);
    const hasNoUsage = step.inferenceResponse === null && step.extraUsage === null;
    const own = step.sent !== null && hasNoUsage && !isOpen ? 1 : 0;
    const below = step.toolExecutions.map(({ childState }) =>
      childState ? callsWithoutUsage(childState) : 0,
    );
    return below.reduce((all, count) => all + count, sum + own);
  }, 0);
}

function durationOf({ execution, updatedAt }: AgentState): number {
  if (execution === null) return 0;
  return Math.max(0, (execution.completedAt ?? updatedAt) - execution.startedAt - execution.waitedMs);
}

function Bar({ bar, held: all }: { readonly bar: BudgetBar; readonly held: Held }): ReactNode {
  const { measure, unit, spent, limit, left } = bar;
  if (limit === null) return null;
  const held = measure === 'tokens' ? all.tokens : measure === 'cost' ? all.cost : 0;
  const format = unit === 'money' ? formatCost : formatNumber;
  const share = (amount: number): number => (limit === 0 ? 1 : Math.min(1, amount / limit));
  const text = [
    `${format(spent)} spent of ${format(limit)}`,
    ...(held > 0 ? [`${format(held)} held by calls in flight`] : []),
    `${format(Math.max(0, (left ?? 0) - held))} left`,
  ].join(', ');
  return (
    <span
      className="bar"
      data-level={share(spent) >= 1 ? 'full' : share(spent) > 0.8 ? 'high' : 'low'}
      title={`${measure}: ${text}`}
    >
      <span className="bar-name">{measure}</span>
      <span
        className="bar-track"
        role="meter"
        aria-label={measure}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(spent, limit)}
        aria-valuetext={text}
      >
        <span className="bar-fill" style={{ width: `${share(spent) * 100}%` }} />
        <span className="bar-held" style={{ width: `${(share(spent + held) - share(spent)) * 100}%` }} />
      </span>
      <span className="bar-text">
        {format(spent)} / {format(limit)}
        {held > 0 && <span className="held"> +{format(held)} held</span>}
      </span>
    </span>
  );
}
