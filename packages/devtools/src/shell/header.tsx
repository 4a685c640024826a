import {
  type AgentSession,
  type AgentSessionSnapshot,
  AgentState,
  type BudgetLine,
  sessionSelectors,
} from '@vitrine/core';
import type { ReactNode } from 'react';
import { formatCost, formatNumber } from '../kit/format.ts';

type HeaderProps = { readonly session: AgentSession; readonly snapshot: AgentSessionSnapshot };

/** Where the run stands, in one line, and what is left of its budget. */
export function Header({ session, snapshot }: HeaderProps): ReactNode {
  const { state } = snapshot;
  const status = AgentState.status(state) ?? 'idle';
  const reason = AgentState.stopReason(state);
  const usage = AgentState.usage(state);
  const budget = sessionSelectors.budget(snapshot);
  return (
    <div className="header">
      <span className="agent">{session.agent().name}</span>
      <span className={`chip status-${status}`}>{status}</span>
      {reason && <span className="chip">{reason}</span>}
      <span className="figure">run {state.executionCount}</span>
      <span className="figure">{formatNumber(usage.totalTokens)} tok</span>
      {usage.cost !== null && <span className="figure">{formatCost(usage.cost)}</span>}
      <div className="bars">
        <Bar name="steps" line={budget.steps} />
        <Bar name="tokens" line={budget.tokens} />
        <Bar name="seconds" line={budget.seconds} />
        <Bar name="cost" line={budget.cost} />
      </div>
    </div>
  );
}

function Bar({ name, line }: { readonly name: string; readonly line: BudgetLine }): ReactNode {
  if (line.limit === null) return null;
  const share = line.limit === 0 ? 1 : Math.min(1, line.spent / line.limit);
  const text = `${formatNumber(line.spent)} / ${formatNumber(line.limit)}`;
  return (
    <span
      className="bar"
      data-level={share >= 1 ? 'full' : share > 0.8 ? 'high' : 'low'}
      title={`${name}: ${text}`}
    >
      <span className="bar-name">{name}</span>
      <span
        className="bar-track"
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={line.limit}
        aria-valuenow={Math.min(line.spent, line.limit)}
      >
        <span className="bar-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="bar-text">{text}</span>
    </span>
  );
}
