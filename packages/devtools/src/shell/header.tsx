import { AgentState } from '@vitrine/core';
import { sessionSpent } from '@vitrine/core/internal/graph/limits';
import { agentsOf } from '@vitrine/inspect/internal/agents-of';
import { type BudgetBar, budgetBars } from '@vitrine/inspect/internal/budget-bars';
import { eventsOf, type HubSource, type JournalRecord } from '@vitrine/inspect';
import {
  callsOfRecord,
  callsOfRun,
  inputFigures,
  knownPrices,
} from '@vitrine/inspect/internal/input-figures';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext, useMemo, useState } from 'react';
import { IsPast, IsRunning, Knowledge } from '../kit/contexts.ts';
import { Findings, worstOf } from '../tabs/findings/findings.ts';
import { cutShort, durationOf, verdict } from '../tabs/stop/verdict.ts';
import { useTexts } from '../texts.ts';

type HeaderProps = { readonly source: HubSource; readonly record: JournalRecord };

/** The figures of a run in the header line: its duration, tokens and cost. */
export function Figures({ source, record }: HeaderProps): ReactNode {
  const { state } = record;
  const status = AgentState.status(state) ?? 'idle';
  const usage = AgentState.usage(state);
  const session = sessionSpent(state);
  const seconds = barsOf(source, state).find(({ measure }) => measure === 'seconds')?.spent;
  const ms = seconds === undefined ? durationOf(state) : seconds * 1000;
  const { formats, header } = useTexts();
  const withoutUsage = callsWithoutUsage(state);
  const isEstimated = usage.isEstimated === true;
  const isUnknown = !useContext(Knowledge).usage;
  const prices = knownPrices(state, source.agent?.());
  const { cached, paid } = inputFigures(callsOfRun(state), prices);
  const isRunning = useContext(IsRunning) === true;
  // A reading of all events for each delta would slow the answer down.
  const all = useMemo(() => (isRunning ? null : callsOfRecord(record)), [isRunning, record]);
  const ofAll = all === null ? null : inputFigures(all, prices);
  return (
    <>
      <span className="figures wrapping spaced kept">
        {isUnknown && usage.totalTokens === 0 ? (
          <span className="figure" data-unknown>
            {header.tokensUnknown}
          </span>
        ) : (
          <span
            className="figure"
            title={header.tokensTitle(usage.inputTokens, usage.outputTokens, isEstimated, withoutUsage)}
          >
            {header.tokens(usage.totalTokens, isEstimated, withoutUsage > 0 || isUnknown)}
          </span>
        )}
        <span
          className="figure"
          data-unknown={usage.cost === null}
          title={header.sessionTitle(
            session.hasUnknownCost ? header.costUnknown : formats.cost(session.cost),
            formats.number(session.tokens),
            ofAll === null || ofAll.cached === null ? '' : header.cached(ofAll.cached, ofAll.paid),
          )}
        >
          {usage.cost === null ? header.costUnknown : formats.cost(usage.cost)}
        </span>
      </span>
      <span className="figures wrapping spaced">
        {status !== 'idle' && <span className="figure">{formats.duration(ms)}</span>}
        {cached !== null && usage.cacheReadTokens + usage.cacheWriteTokens > 0 && (
          <span className="figure">{header.cached(cached, paid)}</span>
        )}
      </span>
    </>
  );
}

/** The budgets of a run: a thin line each, and the figures of those that are nearly used up. */
export function Budgets({ source, record }: HeaderProps): ReactNode {
  const held = heldIn(record);
  const bars = barsOf(source, record.state).flatMap((bar) => (bar.limit === null ? [] : [bar]));
  if (bars.length === 0) return null;
  return (
    <div className="bars wrapping firm">
      {bars.map((bar) => (
        <Bar key={bar.key} bar={bar} held={held} />
      ))}
    </div>
  );
}

/** The result of a run in one sentence. */
export function Verdict({ record: { state } }: Pick<HeaderProps, 'record'>): ReactNode {
  const texts = useTexts();
  const { all, isComplete } = useContext(Findings);
  const fault = worstOf(all);
  const isFaulty = fault === 'fault';
  const isRunning = useContext(IsRunning);
  const usual = verdict(state, isRunning, texts, useContext(IsPast));
  const status = cutShort(state) === null ? (AgentState.status(state) ?? 'idle') : 'cut';
  const isDone = status === 'completed' && AgentState.stopReason(state) === 'completed';
  const text = isDone && isFaulty ? texts.verdict.doneWithFault(AgentState.stepCount(state)) : usual;
  return (
    <p
      className="verdict"
      data-status={status}
      data-fault={fault}
      aria-busy={!isComplete || (isRunning === true && status === 'in-progress')}
      title={text}
    >
      {text}
    </p>
  );
}

const continued: ReadonlySet<string> = new Set([
  'steps-limit-reached',
  'token-limit-reached',
  'time-limit-reached',
  'cost-limit-reached',
  'retry-limit-reached',
  'user-requested',
]);

/** Lets the run go on that a limit, a person or failed retries stopped, while it is the last one. */
export function ContinueButton({ source, record: { state } }: HeaderProps): ReactNode {
  const { header } = useTexts();
  const [refusal, setRefusal] = useState<string | null>(null);
  const reason = AgentState.status(state) === 'stopped' ? AgentState.stopReason(state) : null;
  const continueRun = reason !== null && continued.has(reason) ? commandOf(source, state) : null;
  if (continueRun === null) return null;
  const goOn = async (): Promise<void> => setRefusal((await continueRun()).error?.message ?? null);
  return (
    <>
      <button type="button" title={header.continueTitle} onClick={() => void goOn()}>
        {header.continueRun}
      </button>
      {refusal !== null && <span role="alert"> {redactText(refusal, 'message')}</span>}
    </>
  );
}

type ContinueRun = NonNullable<HubSource['commands']>['continueRun'];

/** The command that lets a run go on; null for a moment of the past, and for a source without commands. */
function commandOf({ commands, journal }: HubSource, { execution }: AgentState): ContinueRun | null {
  try {
    return journal.state().execution === execution ? (commands?.continueRun ?? null) : null;
  } catch {
    // A source that throws can still be inspected.
    return null;
  }
}

function barsOf({ budget, agent }: HubSource, state: AgentState): readonly BudgetBar[] {
  const limits = budget?.();
  return limits ? budgetBars(state, limits, agent?.() ?? null) : [];
}

/** Number of model calls that ended before the provider reported usage, including those of subagents. */
function callsWithoutUsage(root: AgentState): number {
  return agentsOf(root).flatMap(({ state }) => {
    const open = AgentState.status(state) === 'in-progress' ? AgentState.currentStep(state) : null;
    return AgentState.steps(state).filter(
      (step) =>
        step !== open && step.sent !== null && step.inferenceResponse === null && step.extraUsage === null,
    );
  }).length;
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
  const level = share(spent) >= 1 ? 'full' : share(spent + held) > 0.8 ? 'high' : 'low';
  return (
    <span className="bar beside in-small" data-level={level} title={header.limit(measure, text)}>
      {level !== 'low' && <span className="bar-name">{measure}</span>}
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
      {level !== 'low' && (
        <span className="bar-text">
          {format(spent)} / {format(limit)}
          {held > 0 && <span className="held"> {header.held(format(held))}</span>}
        </span>
      )}
    </span>
  );
}

/** The part of a budget that calls in flight reserve, because their costs are not known yet. */
type Held = { readonly tokens: number; readonly cost: number };

const nothing: Held = { tokens: 0, cost: 0 };
/** Number of events to search backwards. A waiting agent reports often, so an older wait has ended. */
const looked = 500;

/** The reserved budget at the end of a record, as the last agent that still waits for budget reported it. */
function heldIn(record: JournalRecord): Held {
  if (record.state.execution?.status !== 'in-progress') return nothing;
  const events = eventsOf(record);
  const seen = new Set<string>();
  for (let at = events.length - 1; at >= Math.max(0, events.length - looked); at--) {
    const event = events[at]?.event;
    if (event === undefined) break;
    const path = event.path.join('/');
    if (event.type === 'budget-wait' && !seen.has(path)) return event.held;
    if (event.type === 'execution-start' && path === '') break;
    seen.add(path);
  }
  return nothing;
}
