import { AgentState } from '@vitrine/core';
import { type BudgetBar, budgetBars, type HubSource, type JournalRecord } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { formatCost, formatNumber } from '../kit/format.ts';
import { verdict } from '../tabs/stop/verdict.ts';

type HeaderProps = { readonly source: HubSource; readonly record: JournalRecord };

/** What has become of the run, in a sentence; where it stands, and what is left of its budget. */
export function Header({ source, record: { state } }: HeaderProps): ReactNode {
  const status = AgentState.status(state) ?? 'idle';
  const reason = AgentState.stopReason(state);
  const usage = AgentState.usage(state);
  const budget = source.budget?.();
  return (
    <div className="header">
      <span className="agent">{source.name}</span>
      <span className={`chip status-${status}`}>{status}</span>
      {reason && reason !== status && <span className="chip">{reason}</span>}
      <span className="figure">run {state.executionCount}</span>
      <span className="figure">{formatNumber(usage.totalTokens)} tok</span>
      {usage.cost !== null && <span className="figure">{formatCost(usage.cost)}</span>}
      <p className="verdict">{verdict(state)}</p>
      <div className="bars">
        {budget && budgetBars(state, budget).map((bar) => <Bar key={bar.key} bar={bar} />)}
      </div>
    </div>
  );
}

function Bar({ bar }: { readonly bar: BudgetBar }): ReactNode {
  const { measure, spent, limit } = bar;
  if (limit === null) return null;
  const share = limit === 0 ? 1 : Math.min(1, spent / limit);
  const text = `${formatNumber(spent)} / ${formatNumber(limit)}`;
  return (
    <span
      className="bar"
      data-level={share >= 1 ? 'full' : share > 0.8 ? 'high' : 'low'}
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
      >
        <span className="bar-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="bar-text">{text}</span>
    </span>
  );
}
