import {
  type AgentSession,
  type AgentSessionSnapshot,
  AgentState,
  type BudgetLine,
  type StopSignal,
  sessionSelectors,
  StopReason,
  StopSignal as Signals,
} from '@vitrine/core';
import type { ReactNode } from 'react';
import { formatNumber, formatTime } from '../../kit/format.ts';
import { Json } from '../../kit/json.tsx';
import { useRecording } from '../../kit/use-live.ts';
import type { Recorder } from '../../kit/recorder.ts';
import { branches, decidingBranch, verdict } from './verdict.ts';

type StopTabProps = {
  readonly snapshot: AgentSessionSnapshot;
  readonly recorder: Recorder;
  readonly session: AgentSession;
};

/** Why did it stop? */
export function StopTab({ snapshot, recorder, session }: StopTabProps): ReactNode {
  const { state } = snapshot;
  const { evaluations } = useRecording(recorder, session);
  const branch = decidingBranch(state, evaluations);
  const taken = branches.findIndex(({ id }) => id === branch);
  const signals = Signals.byPriority(AgentState.stopSignals(state));
  const winner = AgentState.stopSignal(state);
  const overridden = overriddenSignals(state);
  const budget = sessionSelectors.budget(snapshot);
  return (
    <div className="detail scroll" tabIndex={0} role="region" aria-label="Why did it stop?">
      <h3>Why did it stop?</h3>
      <p className="verdict">{verdict(state)}</p>
      <h4>What shouldStop asked, in order</h4>
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
      <h4>Signals by priority ({signals.length})</h4>
      {signals.length === 0 && <p className="facts">None.</p>}
      {signals.map((signal, index) => (
        <SignalView key={index} signal={signal} mark={signal === winner ? 'won' : null} />
      ))}
      {overridden.length > 0 && <h4>Overridden by a request to go on ({overridden.length})</h4>}
      {overridden.map(({ signal, step }, index) => (
        <SignalView key={index} signal={signal} mark={`overridden, step ${step}`} />
      ))}
      <h4>Budget</h4>
      <table className="budget">
        <tbody>
          {(['steps', 'tokens', 'seconds', 'cost'] as const).map((name) => (
            <BudgetRow key={name} name={name} line={budget[name]} />
          ))}
        </tbody>
      </table>
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
    </div>
  );
}

function SignalView({
  signal,
  mark,
}: {
  readonly signal: StopSignal;
  readonly mark: string | null;
}): ReactNode {
  const rank = StopReason.priority(signal.reason);
  return (
    <div className="signal" data-won={mark === 'won'}>
      <p>
        <span className="rank">{rank < 0 ? '?' : rank + 1}</span>
        <strong>{signal.reason}</strong>
        {mark && <span className="chip">{mark}</span>}
        <span className="figure">{formatTime(signal.at)}</span>
      </p>
      {signal.message !== '' && <p>{signal.message}</p>}
      {signal.source && <p className="facts">Source: {signal.source}</p>}
      {Object.keys(signal.context).length > 0 && <Json value={signal.context} />}
    </div>
  );
}

function BudgetRow({ name, line }: { readonly name: string; readonly line: BudgetLine }): ReactNode {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{formatNumber(line.spent)} spent</td>
      <td>{line.limit === null ? 'no limit' : `of ${formatNumber(line.limit)}`}</td>
      <td>{line.left === null ? '' : `${formatNumber(line.left)} left`}</td>
    </tr>
  );
}

function overriddenSignals(state: AgentState): { signal: StopSignal; step: number }[] {
  const seen = new Set<StopSignal>();
  const continuations = [
    ...AgentState.stepExecutions(state).map((step) => step.continuation),
    ...(state.execution ? [state.execution.continuation] : []),
  ];
  return continuations.flatMap((continuation, index) =>
    continuation.overridden.flatMap((signal) => {
      if (seen.has(signal)) return [];
      seen.add(signal);
      return [{ signal, step: index + 1 }];
    }),
  );
}
