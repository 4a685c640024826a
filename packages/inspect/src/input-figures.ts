import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { checkedPrice, type ModelPrice, priceOf } from '@vitrine/core/internal/graph/llm-config';
import type { AgentState, AgentStep } from '@vitrine/core/internal/graph/types';
import { paidShare, sum, type Usage } from '@vitrine/core/internal/graph/usage';
import type { InferenceClient } from '@vitrine/core/internal/model/inference-client';
import { eventsOf, type JournalRecord } from './journal-record.ts';

export type PaidCall = {
  /** The model that answered, and the asked one. */
  readonly models: readonly (string | null)[];
  readonly usage: Usage;
};

/** The price of the model of a call; null when it is unknown. */
export type PriceOfCall = (call: PaidCall) => ModelPrice | null;

/** The figures of calls: their usage, and the shares of their input that a cache read and that was paid. */
export type InputFigures = {
  readonly usage: Usage;
  /** The share that was read from a cache; null without input. */
  readonly cached: number | null;
  /** The share at which the input was paid, see `Usage.paidShare`; null when a price is unknown. */
  readonly paid: number | null;
};

/** The answered calls of a step, without those of its subagents. */
export function callsOfStep({ inferenceResponse: response, sent }: AgentStep): readonly PaidCall[] {
  if (response === null) return [];
  return [{ models: [response.model, sent?.model ?? null], usage: response.usage }];
}

/** Levels of subagents whose calls are counted. */
const deepest = 20;

/** The answered calls of the current run, those of its subagents behind the step that asked them. */
export function callsOfRun(state: AgentState, depth = deepest): readonly PaidCall[] {
  return steps(state).flatMap((step) => [
    ...callsOfStep(step),
    ...(depth === 0
      ? []
      : step.toolExecutions.flatMap(({ childState }) =>
          childState === null ? [] : callsOfRun(childState, depth - 1),
        )),
  ]);
}

/** The answered calls of all runs in a record; null when some of them are not in it. */
export function callsOfRecord(record: JournalRecord): readonly PaidCall[] | null {
  if (record.missed > 0 || record.dropped.events > 0 || record.stored.length > 0) return null;
  const asked = new Map<string, string | null>();
  const calls: PaidCall[] = [];
  for (const { event } of eventsOf(record)) {
    if (event.type === 'inference-start') asked.set(event.sent.inferenceId, event.sent.model);
    if (event.type !== 'inference-end') continue;
    const { model, usage } = event.response;
    calls.push({ models: [model, asked.get(event.inferenceId) ?? null], usage });
  }
  return calls;
}

export function inputFigures(calls: readonly PaidCall[], price: PriceOfCall): InputFigures {
  const usage = sum(calls.map((call) => call.usage));
  const asked = calls.filter((call) => call.usage.inputTokens > 0);
  const shares = asked.map((call) => paidShare(call.usage, price(call)));
  // A run of several models counts by the tokens of each.
  const paid = shares.reduce<number | null>(
    (total, share, at) =>
      total === null || share === null ? null : total + share * (asked[at]?.usage.inputTokens ?? 0),
    0,
  );
  const input = usage.inputTokens;
  return {
    usage,
    cached: input === 0 ? null : Math.min(1, usage.cacheReadTokens / input),
    paid: input === 0 || paid === null ? null : paid / input,
  };
}

const told = new WeakMap<InferenceClient, Map<string | null, ModelPrice | null>>();

/** The prices of the state, of the agent, and those that `askPrices` has asked its client for. */
export function knownPrices(
  { llmConfig }: AgentState,
  agent: Pick<AgentDefinition, 'inference' | 'llmConfig'> | null = null,
): PriceOfCall {
  const asked = agent === null ? undefined : told.get(agent.inference);
  return ({ models }) => {
    for (const model of models) {
      const price = priceOf(model, llmConfig ?? agent?.llmConfig ?? null) ?? asked?.get(model) ?? null;
      if (price !== null) return price;
    }
    return null;
  };
}

/** Asks the client of an agent for the prices of calls, once a model. Resolves with true when one became known. */
export async function askPrices(
  { inference }: Pick<AgentDefinition, 'inference'>,
  calls: readonly PaidCall[],
): Promise<boolean> {
  const known = told.get(inference) ?? new Map<string | null, ModelPrice | null>();
  told.set(inference, known);
  const models = new Set(calls.flatMap((call) => call.models));
  const open = [...models].filter((model) => !known.has(model));
  const answers = await Promise.all(
    open.map(async (model) => {
      known.set(model, null);
      const price = await inference.price?.(model).catch(() => null);
      known.set(model, checkedPrice(price));
      return known.get(model) !== null;
    }),
  );
  return answers.includes(true);
}
