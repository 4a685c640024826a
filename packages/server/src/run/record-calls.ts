import { type AgentEvent, explainError, type Usage } from '@vitrine/core';
import type { entryRecorder } from '@vitrine/proxy/guard';
import type { SessionAddress } from '../host/session-host.ts';

/** Takes the line of a model call that has ended, as the proxy writes one of its own. */
export type RecordCall = ReturnType<typeof entryRecorder>;

type Call = {
  readonly model: string | null;
  readonly startedAt: number;
  firstMs: number | null;
  usage: Usage | null;
};
type Ended = Pick<Parameters<RecordCall>[0], 'outcome' | 'code'>;

const completed: Ended = { outcome: 'completed', code: null };
const cancelled: Ended = { outcome: 'cancelled', code: null };

/**
 * Creates a listener to the events of a session that records its model calls, those of subagents and hooks included. The
 * provider's own message is not among the events, so a line has the remedy and no cause.
 */
export function createCallRecorder(
  record: RecordCall,
  { owner, sessionId }: SessionAddress,
): (event: AgentEvent) => void {
  /** The call of each agent that is in flight, by the path of the agent. */
  const open = new Map<string, Call>();

  function end(path: string, { outcome, code }: Ended): void {
    const call = open.get(path);
    if (call === undefined) return;
    open.delete(path);
    const ms = Math.round(performance.now() - call.startedAt);
    tell(call.model, { outcome, code }, call.usage, { ms, firstEventMs: call.firstMs });
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
      principal: owner,
      id: sessionId,
      cause: null,
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

  return (event) => {
    const path = event.path.join('/');
    const call = open.get(path);
    switch (event.type) {
      case 'inference-start':
        end(path, cancelled);
        open.set(path, { model: event.sent.model, startedAt: performance.now(), firstMs: null, usage: null });
        break;
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
        end(path, { outcome: 'failed', code: event.error.code });
        break;
      case 'step-end':
      case 'execution-pause':
      case 'execution-end':
        end(path, cancelled);
        break;
      default:
    }
  };
}
