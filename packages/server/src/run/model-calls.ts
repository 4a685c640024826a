import {
  type AgentDefinition,
  type AgentEvent,
  type AgentState,
  type ErrorInfo,
  explainError,
  type InferenceClient,
  type ModelPrice,
  Usage,
} from '@vitrine/core';
import { causeOf, type entryRecorder, type GuardedCalls } from '@vitrine/proxy/internal/guard';
import type { SessionAddress } from '../host/session-host.ts';

/** The guard of model calls, and the log that takes a line of each that has ended. */
export type CallGuard = { readonly guard: GuardedCalls; readonly record: ReturnType<typeof entryRecorder> };

/**
 * Guards the model calls of a session for the principal of its execution, and logs them as the proxy logs its own, those of
 * subagents and hooks included. A hook calls its model by itself, so its call is counted when it has ended.
 */
export function guardModelCalls(
  { guard, record }: CallGuard,
  address: SessionAddress,
  stateOf: () => AgentState,
) {
  const principal = (): string => stateOf().execution?.by ?? address.owner;
  const prices = new Map<string | null, ModelPrice>();
  const lines = createCallLines({
    record,
    sessionId: address.sessionId,
    principal,
    costOf(usage, model) {
      const price = prices.get(model);
      return usage.cost ?? (price === undefined ? null : Usage.withPrice(usage, price).cost);
    },
  });

  function guardAgent(root: AgentDefinition, agent: AgentDefinition): AgentDefinition {
    const { inference } = agent;
    const client = guard.client(inference, {
      async payer(model) {
        const configs = [stateOf().llmConfig, agent.llmConfig, root.llmConfig];
        const price = await priceOf(model, configs, inference);
        if (price !== null) prices.set(model, price);
        return { principal: principal(), price };
      },
      onError: (error, { inferenceId }) => lines.note(inferenceId, { cause: causeOf(error) }),
    });
    return {
      ...agent,
      inference: {
        ...client,
        stream(request, call) {
          lines.note(call.inferenceId, { model: request.model ?? client.defaultModel ?? null });
          return client.stream(request, call);
        },
      },
      subagents: agent.subagents.map((each) => ({ ...each, agent: guardAgent(root, each.agent) })),
    };
  }

  return {
    /** The agent, and each of its subagents, with a client whose calls are guarded and logged. */
    agent: (agent: AgentDefinition): AgentDefinition => guardAgent(agent, agent),
    onEvent(event: AgentEvent): void {
      if (event.type === 'usage-charge' && event.reason === 'hook') guard.charge(principal(), event.usage);
      lines.onEvent(event);
    },
  };
}

/** The price of a model by the first configuration that has one, else by its client; null when it is unknown. */
async function priceOf(
  model: string | null,
  configs: readonly AgentState['llmConfig'][],
  client: InferenceClient,
): Promise<ModelPrice | null> {
  const own = configs.map((config) => config?.prices?.[model ?? '']).find((price) => price !== undefined);
  return own ?? (await client.price?.(model).catch(() => null)) ?? null;
}

type Call = {
  readonly id: string;
  /** The model that is asked; null when neither the request nor the client names one. */
  model: string | null;
  readonly startedAt: number;
  firstMs: number | null;
  usage: Usage | null;
  /** The error of the provider, as an operator may read it. */
  cause: string | null;
};
type Ended = Pick<Parameters<CallGuard['record']>[0], 'outcome' | 'code' | 'cause'>;

const completed: Ended = { outcome: 'completed', code: null, cause: null };
const cancelled: Ended = { outcome: 'cancelled', code: null, cause: null };

type CallLinesOptions = {
  readonly record: CallGuard['record'];
  readonly sessionId: string;
  readonly principal: () => string;
  /** The cost of usage by a known price; null for none. */
  readonly costOf: (usage: Usage, model: string | null) => number | null;
};

function createCallLines({ record, sessionId, principal, costOf }: CallLinesOptions) {
  /** The call of each agent that is in flight, by the path of the agent. */
  const open = new Map<string, Call>();

  function end(path: string, { outcome, code, cause }: Ended): void {
    const call = open.get(path);
    if (call === undefined) return;
    open.delete(path);
    const ms = Math.round(performance.now() - call.startedAt);
    logCall(call, { outcome, code, cause: cause === null ? null : (call.cause ?? cause), ms });
  }

  function logCall(
    { id: requestId, model, usage, firstMs: firstEventMs }: Omit<Call, 'startedAt' | 'cause'>,
    ended: Ended & { readonly ms: number },
  ): void {
    const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
    record({
      requestId,
      principal: principal(),
      id: sessionId,
      hint: ended.code === null ? null : explainError(ended).operator,
      ...ended,
      firstEventMs,
      model,
      inputTokens,
      outputTokens,
      cost: usage === null ? null : costOf(usage, model),
      status: 200,
      route: 'model call',
    });
  }

  function onEvent(event: AgentEvent): void {
    const path = event.path.join('/');
    const call = open.get(path);
    switch (event.type) {
      case 'inference-start': {
        end(path, cancelled);
        const { inferenceId: id, model } = event.sent;
        open.set(path, { id, model, startedAt: performance.now(), firstMs: null, usage: null, cause: null });
        break;
      }
      case 'first-delta':
        if (call !== undefined) call.firstMs = event.afterMs;
        break;
      case 'usage-charge':
        // A hook calls a model while no answer of the step is in flight.
        if (event.reason === 'hook') logCall(callOfHook(event), { ...completed, ms: 0 });
        else if (call !== undefined) call.usage = event.usage;
        if (event.reason === 'aborted') end(path, cancelled);
        break;
      case 'inference-end':
        if (call !== undefined) {
          call.usage = event.response.usage;
          call.model ??= event.response.model;
        }
        end(path, completed);
        break;
      case 'inference-retry':
      case 'error-record':
        end(path, endOfError(event.error));
        break;
      case 'step-end':
      case 'execution-pause':
      case 'execution-end':
        end(path, cancelled);
        break;
      default:
    }
  }

  return {
    onEvent,
    /** Takes facts of a call that are not among the events: the model of its client, and its original error. */
    note(inferenceId: string | undefined, facts: Partial<Pick<Call, 'model' | 'cause'>>): void {
      for (const call of open.values()) if (call.id === inferenceId) Object.assign(call, facts);
    },
  };
}

/** The call of a hook, whose key is its id. A hook does not tell its model. */
function callOfHook({
  key = '',
  usage,
}: Extract<AgentEvent, { type: 'usage-charge' }>): Omit<Call, 'startedAt' | 'cause'> {
  return { id: key, model: null, usage, firstMs: null };
}

/** The end of a call by the error that the journal has. A call above a quota was refused, and no model failed. */
function endOfError(error: ErrorInfo): Ended {
  const { code } = error;
  const outcome = code?.startsWith('quota-') === true ? 'refused' : 'failed';
  return { outcome, code, cause: causeOf(error) };
}
