import { AgentState, StopSignal } from '@vitrine/core';
import { budgetBars, type HubSource } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { formatNumber } from '../../kit/format.ts';
import { evaluationsOf } from './evaluations-of.ts';
import { overriddenSignals } from './overridden-signals.ts';
import { SignalView } from './signal-view.tsx';
import { branches, decidingBranch } from './verdict.ts';

type StopReportProps = Pick<PanelTabProps, 'record'> & {
  /** The source of the budget; null when it is unknown, as for a subagent. */
  readonly budgetOf: HubSource | null;
};

/** The decision to continue or stop at the end of a record: questions, signals, budget and checks. */
export function StopReport({ budgetOf, record }: StopReportProps): ReactNode {
  const { state } = record;
  return (
    <>
      <Questions record={record} />
      <Signals state={state} />
      {budgetOf && <Budget state={state} source={budgetOf} />}
      <Checks record={record} />
    </>
  );
}

function Questions({ record }: Pick<PanelTabProps, 'record'>): ReactNode {
  const branch = decidingBranch(record.state, evaluationsOf(record));
  const taken = branches.findIndex(({ id }) => id === branch);
  return (
    <>
      <h4>Questions of shouldStop, in order</h4>
      <ol className="branches">
        {branches.map(({ id, question, answer }, index) => (
          <li key={id} data-taken={id === branch}>
            {question}{' '}
            <span className="answer">
              {index === taken ? `Yes: ${answer}` : index < taken ? 'No' : 'not asked'}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Signals({ state }: { readonly state: AgentState }): ReactNode {
  const signals = StopSignal.byPriority(AgentState.stopSignals(state));
  const winner = AgentState.stopSignal(state);
  const overridden = overriddenSignals(state);
  return (
    <>
      <h4>Signals by priority ({signals.length})</h4>
      {signals.length === 0 && <p className="facts">None.</p>}
      {signals.map((signal, index) => (
        <SignalView key={index} signal={signal} mark={signal === winner ? 'won' : null} />
      ))}
      {overridden.length > 0 && <h4>Overridden by a request to go on ({overridden.length})</h4>}
      {overridden.map(({ signal, step }, index) => (
        <SignalView key={index} signal={signal} mark={`overridden, step ${step}`} />
      ))}
    </>
  );
}

type BudgetProps = { readonly state: AgentState; readonly source: HubSource };

function Budget({ state, source }: BudgetProps): ReactNode {
  const budget = source.budget?.();
  if (budget === undefined) return null;
  return (
    <>
      <h4>Budget</h4>
      <table className="budget">
        <tbody>
          {budgetBars(state, budget, source.agent?.() ?? null).map(({ key, measure, spent, limit, left }) => (
            <tr key={key}>
              <th scope="row">{measure}</th>
              <td>{formatNumber(spent)} spent</td>
              <td>{limit === null ? 'no limit' : `of ${formatNumber(limit)}`}</td>
              <td>{left === null ? '' : `${formatNumber(left)} left`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Checks({ record }: Pick<PanelTabProps, 'record'>): ReactNode {
  const evaluations = evaluationsOf(record);
  return (
    <>
      <h4>Checks ({evaluations.length})</h4>
      <ol className="checks">
        {evaluations.map((evaluation, index) => (
          <li key={index}>
            {evaluation.at}, step {evaluation.stepNumber}: {evaluation.shouldStop ? 'stop' : 'go on'} (
            {evaluation.branch}
            {evaluation.winner && `, ${evaluation.winner.reason}`})
          </li>
        ))}
      </ol>
    </>
  );
}
