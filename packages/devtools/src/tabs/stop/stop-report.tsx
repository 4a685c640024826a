import { AgentState, StopSignal } from '@vitrine/core';
import { budgetBars, type HubSource } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { evaluationsOf } from './evaluations-of.ts';
import { overriddenSignals } from './overridden-signals.ts';
import { SignalView } from './signal-view.tsx';
import { branches, decidingBranch } from './verdict.ts';
import { useTexts } from '../../texts.ts';

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
  const { stop } = useTexts();
  const branch = decidingBranch(record.state, evaluationsOf(record));
  const taken = branches.findIndex(({ id }) => id === branch);
  return (
    <>
      <h4>{stop.questions}</h4>
      <ol className="branches">
        {branches.map(({ id, question, answer }, index) => (
          <li key={id} data-taken={id === branch}>
            {stop[question]}{' '}
            <span className="answer">
              {index === taken ? stop.yes(stop[answer]) : index < taken ? stop.no : stop.notAsked}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Signals({ state }: { readonly state: AgentState }): ReactNode {
  const { common, stop } = useTexts();
  const signals = StopSignal.byPriority(AgentState.stopSignals(state));
  const winner = AgentState.stopSignal(state);
  const overridden = overriddenSignals(state);
  return (
    <>
      <h4>{stop.signals(signals.length)}</h4>
      {signals.length === 0 && <p className="facts">{common.none}</p>}
      {signals.map((signal, index) => (
        <SignalView
          key={index}
          signal={signal}
          isWinner={signal === winner}
          mark={signal === winner ? stop.won : null}
        />
      ))}
      {overridden.length > 0 && <h4>{stop.overridden(overridden.length)}</h4>}
      {overridden.map(({ signal, step }, index) => (
        <SignalView key={index} signal={signal} isWinner={false} mark={stop.overriddenIn(step)} />
      ))}
    </>
  );
}

type BudgetProps = { readonly state: AgentState; readonly source: HubSource };

function Budget({ state, source }: BudgetProps): ReactNode {
  const { measures, stop } = useTexts();
  const budget = source.budget?.();
  if (budget === undefined) return null;
  return (
    <>
      <h4>{stop.budget}</h4>
      <table className="budget">
        <tbody>
          {budgetBars(state, budget, source.agent?.() ?? null).map(({ key, spent, limit, left }) => (
            <tr key={key}>
              <th scope="row">{measures[key]}</th>
              <td>{stop.spent(spent)}</td>
              <td>{limit === null ? stop.noLimit : stop.ofLimit(limit)}</td>
              <td>{left === null ? '' : stop.left(left)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Checks({ record }: Pick<PanelTabProps, 'record'>): ReactNode {
  const { stop } = useTexts();
  const evaluations = evaluationsOf(record);
  return (
    <>
      <h4>{stop.checks(evaluations.length)}</h4>
      <ol className="checks">
        {evaluations.map((evaluation, index) => (
          <li key={index}>
            {stop.check(
              evaluation.at,
              evaluation.stepNumber,
              evaluation.shouldStop ? stop.stop : stop.goOn,
              evaluation.branch,
              evaluation.winner?.reason ?? null,
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
