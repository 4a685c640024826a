import { AgentState } from '@vitrine/core';
import {
  type BudgetBar,
  budgetBars,
  eventsOf,
  type HubSource,
  type JournalRecord,
  type RecordedRun,
} from '@vitrine/core/inspect';
import { type ReactNode, useContext } from 'react';
import { css } from '../kit/css.ts';
import { IsRunning } from '../kit/is-running.ts';
import { verdict } from '../tabs/stop/verdict.ts';
import { type Texts, useTexts } from '../texts.ts';

type HeaderProps = { readonly source: HubSource; readonly record: JournalRecord };

/** The header of a session: its result in one sentence, its usage and its remaining budget. */
export function Header({ source, record }: HeaderProps): ReactNode {
  const { state } = record;
  const status = AgentState.status(state) ?? 'idle';
  const usage = AgentState.usage(state);
  const budget = source.budget?.();
  const bars = budget ? budgetBars(state, budget, source.agent?.() ?? null) : [];
  const seconds = bars.find(({ measure }) => measure === 'seconds')?.spent;
  const ms = seconds === undefined ? durationOf(state) : seconds * 1000;
  const texts = useTexts();
  const { formats, header } = texts;
  const withoutUsage = callsWithoutUsage(state);
  const isEstimated = usage.isEstimated === true;
  const isRunning = useContext(IsRunning);
  return (
    <div className="header">
      <p className="verdict" data-status={status}>
        {verdict(state, isRunning, texts)}
      </p>
      <span className="agent">{source.name}</span>
      <span className={`chip status-${status}`}>{chipOf(state, isRunning, texts)}</span>
      <span className="figure">{header.run(state.executionCount)}</span>
      {status !== 'idle' && <span className="figure">{formats.duration(ms)}</span>}
      <span
        className="figure"
        title={header.tokensTitle(usage.inputTokens, usage.outputTokens, isEstimated, withoutUsage)}
      >
        {header.tokens(usage.totalTokens, isEstimated, withoutUsage > 0)}
      </span>
      <span className="figure">{usage.cost === null ? header.costUnknown : formats.cost(usage.cost)}</span>
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
  const { header } = useTexts();
  return (
    <div className="header">
      <p className="verdict">{header.notStored}</p>
      <span className="agent">{source.name}</span>
      <span className="figure">{header.run(run.number)}</span>
    </div>
  );
}

function chipOf(state: AgentState, isRunning: boolean | null, { header, runStates }: Texts): string {
  const status = AgentState.status(state) ?? 'idle';
  if (status !== 'in-progress') return runStates[status] ?? status;
  if (AgentState.pendingApprovals(state).length > 0) return header.waitingForYou;
  return isRunning === false ? header.interrupted : runStates[status];
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
  const { key, unit, spent, limit, left } = bar;
  const { formats, header, measures } = useTexts();
  if (limit === null) return null;
  const held = key === 'maxTokens' ? all.tokens : key === 'maxCost' ? all.cost : 0;
  const measure = measures[key];
  const format = unit === 'money' ? formats.cost : formats.number;
  const share = (amount: number): number => (limit === 0 ? 1 : Math.min(1, amount / limit));
  const text = [
    header.spent(format(spent), format(limit)),
    ...(held > 0 ? [header.heldByCalls(format(held))] : []),
    header.left(format(Math.max(0, (left ?? 0) - held))),
  ].join(', ');
  return (
    <span
      className="bar"
      data-level={share(spent) >= 1 ? 'full' : share(spent) > 0.8 ? 'high' : 'low'}
      title={header.limit(measure, text)}
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
        {held > 0 && <span className="held"> {header.held(format(held))}</span>}
      </span>
    </span>
  );
}

/** The part of a budget that calls in flight reserve, because their costs are not known yet. */
type Held = { readonly tokens: number; readonly cost: number };

const nothing: Held = { tokens: 0, cost: 0 };
/** Number of events to search backwards. A waiting agent reports often, so an older wait has ended. */
const looked = 500;

/**
 * The reserved budget at the end of a record, as the last agent that still waits for budget reported it.
 */
function heldIn(record: JournalRecord): Held {
  if (record.state.execution?.status !== 'in-progress') return nothing;
  const events = eventsOf(record);
  const heard = new Set<string>();
  for (let at = events.length - 1; at >= Math.max(0, events.length - looked); at--) {
    const event = events[at]?.event;
    if (event === undefined) break;
    const path = event.path.join('/');
    if (event.type === 'budget-wait' && !heard.has(path)) return event.held;
    if (event.type === 'execution-start' && path === '') break;
    heard.add(path);
  }
  return nothing;
}

/** The styles of the toolbar, the status line of the run and the budget bars. */
export const headerStyles: string = css`
  .toolbar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px;
    min-height: 34px;
    padding: 3px 6px 3px 10px;
    white-space: nowrap;
    background: var(--sunken);
    border-bottom: 1px solid var(--border);

    /* A long name must not push the close button out of view. */
    select[aria-label='Session'] {
      flex: 1 1 96px;
      min-width: 0;
      max-width: max-content;
    }
    .title {
      margin-right: 4px;
      letter-spacing: -0.01em;
    }
    .spacer {
      flex: 1;
    }
    .plain {
      border: 0;
      background: none;
    }
    [aria-pressed='true'] {
      background: var(--accent);
      color: var(--on-accent);
    }
  }
  .header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
    padding: 6px 10px;
    border-bottom: 1px solid var(--border);
  }
  .verdict {
    width: 100%;
    margin: 0;
    padding: 4px 8px;
    border-left: 3px solid var(--accent);
    background: var(--sunken);
    font-size: 13px;
    overflow-wrap: anywhere;

    &[data-status='failed'] {
      border-color: var(--danger);
    }
    &[data-status='stopped'] {
      border-color: var(--warn);
    }
  }
  .agent {
    font-weight: 600;
  }
  .chip.status-completed {
    color: var(--accent);
    border-color: currentColor;
  }
  .chip.status-failed {
    color: var(--danger);
    border-color: currentColor;
  }
  .chip.status-stopped {
    color: var(--warn);
    border-color: currentColor;
  }
  .chip.status-in-progress {
    color: var(--on-accent);
    background: var(--accent);
    border-color: transparent;
  }
  .bars {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
    gap: 2px 12px;
    width: 100%;
  }
  .bar {
    display: flex;
    align-items: center;
    gap: 6px;
    color: var(--muted);
    font-size: 11px;
  }
  .bar-name {
    width: 48px;
  }
  .bar-text {
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .held {
    color: var(--warn);
  }
  .bar-track {
    flex: 1;
    display: flex;
    height: 4px;
    min-width: 24px;
    border-radius: 2px;
    background: var(--border);
    overflow: hidden;
  }
  .bar-fill {
    display: block;
    height: 100%;
    background: var(--accent);
  }
  .bar-held {
    display: block;
    height: 100%;
    background: repeating-linear-gradient(45deg, var(--warn) 0 2px, transparent 2px 4px);
  }
  [data-level='high'] .bar-fill {
    background: var(--warn);
  }
  [data-level='full'] .bar-fill {
    background: var(--danger);
  }
  @container panel (max-width: 500px) {
    .toolbar .title {
      display: none;
    }
  }
  @container panel (min-width: 860px) {
    .header .bars {
      width: auto;
      flex: 1;
      margin-left: 12px;
    }
  }
  @media (forced-colors: active) {
    .bar-fill {
      background: Highlight;
      forced-color-adjust: none;
    }
    .bar-track {
      border: 1px solid CanvasText;
    }
  }
`;
