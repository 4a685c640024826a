'use client';

import { type AgentState, selectors, type Usage as UsageFigures } from '@vitrine/core';
import {
  askPrices,
  callsOfRun,
  inputFigures,
  knownPrices,
  type PaidCall,
  type PriceOfCall,
} from '@vitrine/inspect/internal/input-figures';
import { type ReactNode, useEffect, useState } from 'react';
import { useNearestSession } from '../agent-context.ts';
import { useBudget } from '../field-hooks.ts';
import { useAgentState } from '../hooks/use-agent-state.ts';
import { takeUnlessLeft } from './kit/take-unless-left.ts';
import { useTexts } from './texts-provider.tsx';
import { type UsageTexts, usageTexts } from './usage-texts.ts';

/** Props of `Usage`. */
export type UsageProps = {
  /**
   * Tokens that the window of the model holds: the line then begins with how much of it the last call filled. Default: the
   * line begins with the tokens of the last answer, and their limit.
   */
  readonly contextWindow?: number;
};

/**
 * A line about the tokens and the money of the nearest session, with the share that a prompt cache read. A click opens the
 * calls of the last answer, the sums of each model, and a bar for each limit of the budget. Money is shown when it is
 * known. `<Chat usage>` shows it below the message box.
 */
export function Usage({ contextWindow }: UsageProps): ReactNode {
  const texts = { ...usageTexts, ...useTexts().usage };
  const state = useAgentState(whole, isSpentAlike);
  const [isOpen, setOpen] = useState(false);
  const calls = callsOfRun(state);
  const before = state.spentBefore;
  if (calls.length === 0 && before === null) return null;
  const usage = selectors.usage(state);
  const { cached } = inputFigures(calls, knownPrices(state));
  const cost = costOf(usage, before);
  const parts = [
    tokensOf(state, calls, contextWindow, texts),
    cost === null ? null : texts.money(cost),
    cached === null || cached === 0 ? null : texts.cached(texts.percent(cached)),
  ];
  return (
    <details className="vitrine-usage" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{parts.filter((part) => part !== null).join(' · ')}</summary>
      {isOpen && <Details state={state} calls={calls} texts={texts} />}
    </details>
  );
}

const whole = (state: AgentState): AgentState => state;

/** True for states whose calls are the same: a delta of an answer spends nothing. */
function isSpentAlike(a: AgentState, b: AgentState): boolean {
  const [before, after] = [selectors.usage(a), selectors.usage(b)];
  return (
    a.spentBefore === b.spentBefore &&
    a.llmConfig === b.llmConfig &&
    before.totalTokens === after.totalTokens &&
    before.cost === after.cost
  );
}

type Shown = { readonly state: AgentState; readonly calls: readonly PaidCall[]; readonly texts: UsageTexts };

/** The figures behind the line. The client of the agent is asked for prices that are not known. */
function Details({ state, calls, texts }: Shown): ReactNode {
  const { agent } = useNearestSession('Usage').settings();
  const [, setAsked] = useState(0);
  const { length } = calls;
  useEffect(() => {
    return takeUnlessLeft(askPrices(agent, callsOfRun(state)), (isNew) => {
      if (isNew) setAsked((times) => times + 1);
    });
    // A state with as many calls has the same ones.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [agent, length]);
  const price = knownPrices(state, agent);
  const { usage, cached, paid } = inputFigures(calls, price);
  const before = state.spentBefore;
  const share = paid === null ? null : texts.percent(paid);
  return (
    <div className="vitrine-usage-details" role="region" aria-label={texts.label} tabIndex={0}>
      {cached !== null && (
        <p>
          {texts.input(texts.number(usage.inputTokens), texts.percent(cached), share)}
          {usage.isEstimated === true && ` ${texts.estimated}`}
        </p>
      )}
      <Budgets texts={texts} />
      {length > 0 && <Calls calls={calls} price={price} texts={texts} />}
      {before !== null && (
        <p>
          {texts.before(texts.number(before.tokens), before.hasUnknownCost ? null : texts.money(before.cost))}
        </p>
      )}
    </div>
  );
}

/** The money of the session; null when some of it is not known. */
function costOf({ cost, totalTokens }: UsageFigures, before: AgentState['spentBefore']): number | null {
  if ((cost === null && totalTokens > 0) || before?.hasUnknownCost === true) return null;
  return (cost ?? 0) + (before?.cost ?? 0);
}

function tokensOf(
  state: AgentState,
  calls: readonly PaidCall[],
  contextWindow: number | undefined,
  texts: UsageTexts,
): string {
  const last = calls.at(-1)?.usage.totalTokens ?? 0;
  const [count, most] =
    contextWindow === undefined
      ? [selectors.usage(state).totalTokens, state.execution?.limits?.['maxTokens']]
      : [last, contextWindow];
  const short = texts.short(count);
  return most === undefined ? texts.tokens(short) : texts.tokensOf(short, texts.short(most));
}

function Budgets({ texts }: Pick<Shown, 'texts'>): ReactNode {
  const { steps, tokens, seconds, cost, session } = useBudget();
  const lines = { steps, tokens, seconds, cost, sessionTokens: session?.tokens, sessionCost: session?.cost };
  return Object.entries(lines).map(([name, line]) => {
    if (line === undefined || line.limit === null) return null;
    const show = name === 'cost' || name === 'sessionCost' ? texts.money : texts.number;
    const spent = show(name === 'seconds' ? Math.round(line.spent) : line.spent);
    const label = texts.budget[name as keyof typeof lines](spent, show(line.limit));
    return (
      <label key={name} className="vitrine-usage-bar">
        <span>{label}</span>
        <progress max={Math.max(line.limit, Number.MIN_VALUE)} value={Math.min(line.spent, line.limit)} />
      </label>
    );
  });
}

type Row = { readonly name: string; readonly calls: readonly PaidCall[] };

type Priced = Pick<Shown, 'texts'> & { readonly price: PriceOfCall };

function Calls({ calls, price, texts }: Priced & Pick<Shown, 'calls'>): ReactNode {
  const nameOf = ({ models }: PaidCall): string =>
    models.find((model) => model !== null) ?? texts.defaultModel;
  const names = [...new Set(calls.map(nameOf))];
  const rows = calls.map((call, at): Row => ({ name: `${at + 1}`, calls: [call] }));
  const sums = names.map((name): Row => ({ name, calls: calls.filter((call) => nameOf(call) === name) }));
  return (
    <>
      <Table label={texts.models} head={texts.model} rows={sums} price={price} texts={texts} />
      {calls.length > 1 && (
        <Table label={texts.calls} head={texts.call} rows={rows} price={price} texts={texts} />
      )}
    </>
  );
}

type TableProps = Priced & { readonly label: string; readonly head: string; readonly rows: readonly Row[] };

function Table({ label, head, rows, price, texts }: TableProps): ReactNode {
  const heads = [texts.in, texts.out, texts.reasoning, texts.read, texts.cost];
  return (
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          {[head, ...heads].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, calls }) => {
          const { usage, cached, paid } = inputFigures(calls, price);
          const { inputTokens, outputTokens, reasoningTokens, cost } = usage;
          const share = cached === null ? '' : texts.percent(cached);
          const title =
            cached === null
              ? undefined
              : texts.input(texts.number(inputTokens), share, paid === null ? null : texts.percent(paid));
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              {[inputTokens, outputTokens, reasoningTokens].map((count, at) => (
                <td key={at}>{texts.number(count)}</td>
              ))}
              <td title={title}>{share}</td>
              <td>{cost === null ? '' : texts.money(cost)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
