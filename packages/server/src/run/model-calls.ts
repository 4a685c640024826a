import {
  type AgentDefinition,
  type AgentEvent,
  type AgentState,
  type ErrorInfo,
  explainError,
  type InferenceClient,
  type ModelPrice,
  type Usage,
} from '@vitrine/core';
import { causeOf, type entryRecorder, type GuardedCalls } from '@vitrine/proxy/guard';
import type { SessionAddress } from '../host/session-host.ts';

/** The guard of model calls, and the log that takes a line of each that has ended. */
export type CallGuard = {
  readonly guard: GuardedCalls;
  readonly record: ReturnType<typeof entryRecorder>;
};

/** The model calls of one session. */
export type ModelCalls = {
  /** The agent, and each of its subagents, with a client whose calls are guarded and logged. */
  readonly agent: (agent: AgentDefinition) => AgentDefinition;
  readonly onEvent: (event: AgentEvent) => void;
};

/**
 * Guards the model calls of a session for the principal of its execution, and logs them as the proxy logs its own, those of
 * subagents and hooks included. A hook calls its model by itself, so its call is counted when it has ended.
 */
export function guardModelCalls(
  { guard, record }: CallGuard,
  address: SessionAddress,
  stateOf: () => AgentState,
): ModelCalls {
  const principal = (): string => stateOf().execution?.by ?? address.owner;
  const lines = createCallLines(record, address.sessionId, principal);

  function guarded(root: AgentDefinition, agent: AgentDefinition): AgentDefinition {
    const { inference } = agent;
    return {
      ...agent,
      inference: guard.client(inference, {
        async payer(model) {
          const configs = [stateOf().llmConfig, agent.llmConfig, root.llmConfig];
          return { principal: principal(), price: await priceOf(model, configs, inference) };
        },
        onError: (error, { inferenceId }) => lines.hear(inferenceId, error),
      }),
      subagents: agent.subagents.map((each) => ({ ...each, agent: guarded(root, each.agent) })),
    };
  }

  return {
    agent: (agent) => guarded(agent, agent),
    onEvent(event) {
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
  readonly model: string | null;
  readonly startedAt: number;
  firstMs: number | null;
  usage: Usage | null;
  /** The error of the provider, as an operator may read it. */
  cause: string | null;
};
type Ended = Pick<Parameters<CallGuard['record']>[0], 'outcome' | 'code' | 'cause'>;

const completed: Ended = { outcome: 'completed', code: null, cause: null };
const cancelled: Ended = { outcome: 'cancelled', code: null, cause: null };

/** The lines of the model calls of a session. */
type CallLines = {
  readonly onEvent: (event: AgentEvent) => void;
  /** Takes the original error of a call, which is not among the events. */
  readonly hear: (inferenceId: string | undefined, error: unknown) => void;
};

function createCallLines(record: CallGuard['record'], sessionId: string, principal: () => string): CallLines {
  /** The call of each agent that is in flight, by the path of the agent. */
  const open = new Map<string, Call>();

  function end(path: string, { outcome, code, cause }: Ended): void {
    const call = open.get(path);
    if (call === undefined) return;
    open.delete(path);
    const ms = Math.round(performance.now() - call.startedAt);
    const told = { outcome, code, cause: cause === null ? null : (call.cause ?? cause) };
    tell(call.model, told, call.usage, { ms, firstEventMs: call.firstMs });
  }

  function tell(
    model: string | null,
    ended: Ended,
    usage: Usage | null,
    times: { readonly ms: number; readonly firstEventMs: number | null },
  ): void {
    const { inputTokens = 0, outputTokens = 0, cost = null } = usage ?? {};
    record({
      requestId: '',
      principal: principal(),
      id: sessionId,
      hint: ended.code === null ? null : explainError(ended).operator,
      ...ended,
      ...times,
      model,
      inputTokens,
      outputTokens,
      cost,
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
        if (event.reason === 'hook') tell(null, completed, event.usage, { ms: 0, firstEventMs: null });
        else if (call !== undefined) call.usage = event.usage;
        if (event.reason === 'aborted') end(path, cancelled);
        break;
      case 'inference-end':
        if (call !== undefined) call.usage = event.response.usage;
        end(path, completed);
        break;
      case 'inference-retry':
      case 'error-record':
        end(path, failed(event.error));
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
    hear(inferenceId, error) {
      for (const call of open.values()) if (call.id === inferenceId) call.cause = causeOf(error);
    },
  };
}

/** The end of a call by the error that the journal has. A call above a quota was refused, and no model failed. */
function failed(error: ErrorInfo): Ended {
  const { code } = error;
  const outcome = code?.startsWith('quota-') === true ? 'refused' : 'failed';
  return { outcome, code, cause: causeOf(error) };
}
