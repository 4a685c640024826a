import { AgentState, StopReason, StopSignal } from '@vitrine/core';
import { budgetBars } from '@vitrine/inspect/internal/budget-bars';
import { type HubSource } from '@vitrine/inspect';
import { overriddenSignals } from '@vitrine/inspect/internal/overridden-signals';
import { redactText } from '@vitrine/inspect/internal/redact';
import type { ReactNode } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { css } from '../../kit/css.ts';
import { Json } from '../../kit/json.tsx';
import { useTimeText } from '../../kit/contexts.ts';
import { useTexts } from '../../texts.ts';
import { branches, decidingBranch, evaluationsOf } from './verdict.ts';

type StopReportProps = Pick<PanelTabProps, 'record'> & {
  /** The source of the budget; null when it is unknown, as for a subagent. */
  readonly budgetOf: HubSource | null;
};

/** The decision to continue or stop at the end of a record: questions, signals, budget and checks. */
export function StopReport({ budgetOf, record }: StopReportProps): ReactNode {
  const { state } = record;
  // A loop of another library asks questions of its own.
  const isOurs = record.knows === undefined;
  return (
    <>
      {isOurs && <Questions record={record} />}
      <Signals state={state} />
      {budgetOf && <Budget state={state} source={budgetOf} />}
      {isOurs && <Checks record={record} />}
    </>
  );
}

function Questions({ record }: Pick<PanelTabProps, 'record'>): ReactNode {
  const { stop } = useTexts();
  const branch = decidingBranch(record.state, evaluationsOf(record));
  const taken = branches.findIndex(({ id }) => id === branch);
  return (
    <>
      <h3>{stop.questions}</h3>
      <ol className="branches indented muted">
        {branches.map(({ id, question, answer }, index) => (
          <li key={id} data-taken={id === branch}>
            {stop[question]}{' '}
            <span className="answer muted">
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
      <h3>{stop.signals(signals.length)}</h3>
      {signals.length === 0 && <p className="facts">{common.none}</p>}
      {signals.map((signal, index) => (
        <SignalView
          key={index}
          signal={signal}
          isWinner={signal === winner}
          mark={signal === winner ? stop.won : null}
        />
      ))}
      {overridden.length > 0 && <h3>{stop.overridden(overridden.length)}</h3>}
      {overridden.map(({ signal, step }, index) => (
        <SignalView key={index} signal={signal} isWinner={false} mark={stop.overriddenIn(step)} />
      ))}
    </>
  );
}

function Budget({ state, source }: { readonly state: AgentState; readonly source: HubSource }): ReactNode {
  const { formats, measures, stop } = useTexts();
  const budget = source.budget?.();
  if (budget === undefined) return null;
  return (
    <>
      <h3>{stop.budget}</h3>
      <table className="budget">
        <tbody>
          {budgetBars(state, budget, source.agent?.() ?? null).map(({ key, unit, spent, limit, left }) => {
            const format = unit === 'money' ? formats.cost : formats.number;
            return (
              <tr key={key}>
                <th scope="row">{measures[key]}</th>
                <td>{stop.spent(format(spent))}</td>
                <td>{limit === null ? stop.noLimit : stop.ofLimit(format(limit))}</td>
                <td>{left === null ? '' : stop.left(format(left))}</td>
              </tr>
            );
          })}
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
      <h3>{stop.checks(evaluations.length)}</h3>
      <ol className="checks indented muted">
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

type SignalViewProps = {
  readonly signal: StopSignal;
  /** The outcome of the signal; null when it has none. */
  readonly mark: string | null;
  readonly isWinner: boolean;
};

function SignalView({ signal, mark, isWinner }: SignalViewProps): ReactNode {
  const { stop } = useTexts();
  const timeText = useTimeText();
  const rank = StopReason.priority(signal.reason);
  return (
    <div className="signal" data-won={isWinner}>
      <p className="beside wrapping">
        <span className="rank tiny">{rank < 0 ? '?' : rank + 1}</span>
        <strong>{signal.reason}</strong>
        {mark && <span className="chip">{mark}</span>}
        <span className="figure at-end">{timeText(signal.at)}</span>
      </p>
      {signal.message !== '' && <p className="beside wrapping">{redactText(signal.message, 'message')}</p>}
      {signal.source && <p className="facts beside wrapping">{stop.source(signal.source)}</p>}
      {Object.keys(signal.context).length > 0 && <Json value={signal.context} path={['context']} />}
    </div>
  );
}

/** The styles of the questions, signals and budget. */
export const stopStyles: string = css`
  .branches li {
    padding: 1px 0;

    &[data-taken='true'] {
      color: var(--text);
      font-weight: 600;

      .answer {
        color: var(--accent);
      }
    }
  }
  .signal {
    margin: 6px 0;
    padding: 4px 10px 6px;
    border: 1px solid var(--border);
    border-radius: 7px;

    p {
      gap: 4px 8px;
      margin: 2px 0;
      overflow-wrap: anywhere;
    }
    &[data-won='true'] {
      border-color: var(--accent);
    }
  }
  .rank {
    display: grid;
    place-items: center;
    width: 18px;
    height: 18px;
    border-radius: 50%;
    background: var(--sunken);
  }
  .budget {
    border-collapse: collapse;

    th {
      text-align: start;
      font-weight: 400;
      color: var(--muted);
    }
    th,
    td {
      padding: 1px 12px 1px 0;
      font-variant-numeric: tabular-nums;
    }
  }
`;
