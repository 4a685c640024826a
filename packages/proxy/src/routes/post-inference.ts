import { Usage } from '@vitrine/core';
import type { Handler } from 'hono';
import { admit } from '../guard/admit.ts';
import type { GuardEnv } from '../guard/guard.ts';
import type { Admission } from '../guard/quotas/quotas.ts';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/refuse.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { eventStream } from '../stream/event-stream.ts';
import { createTurns } from '../stream/in-turn.ts';
import type { StreamReport } from '../stream/stream-report.ts';

const maxKeyLength = 255;

/**
 * `POST /v1/inference`: asks a model, and answers with its events as they come. The headers are sent at once, so
 * whatever goes wrong with the upstream is an event. The same `Idempotency-Key` with the same body gives the same stream.
 */
export function postInference(proxy: ProxyContext): Handler<GuardEnv> {
  const { inferences, report } = proxy;
  const inTurn = createTurns();
  return async (context) => {
    const { raw } = context.req;
    const principal = context.get('principal');
    const line = context.get('line');
    const key = context.req.header('idempotency-key') || null;
    if (key !== null && key.length > maxKeyLength)
      return refuse(context, problems.invalid(`Idempotency-Key: at most ${maxKeyLength} characters`));
    const admitted = await admit(raw, principal, proxy);
    // What stops halfway because its client has left is no fault of what was sent.
    if ('problem' in admitted)
      return refuse(context, raw.signal.aborted ? problems.cancelled : admitted.problem);
    const { model, request, expected, reserve } = admitted;
    line.note({ model });
    // Nobody is there any more, so nobody is asked.
    if (raw.signal.aborted) return refuse(context, problems.cancelled);
    const asked = { client: model.client, request, expected, ownerId: principal.id, key };

    function answer({ id, reader }: NonNullable<Awaited<ReturnType<typeof inferences.find>>>): Response {
      line.note({ id });
      return eventStream(id, reader, raw.signal);
    }
    function onEnd(told: StreamReport, settle: Admission['settle']): void {
      const usage = model.price ? Usage.priced(told.usage, model.price) : told.usage;
      settle(usage);
      const { inputTokens, outputTokens, cost } = usage;
      const { id, outcome, code, ms, firstEventMs, cause } = told;
      line.ended({ id, outcome, code, inputTokens, outputTokens, cost, ms, firstEventMs, cause });
      report({ ...told, usage });
    }

    async function begin(): Promise<Response> {
      // Whoever comes back to an answer has paid for it already.
      const begun = await inferences.find(asked);
      if (begun) return answer(begun);
      if (inferences.isClosing()) return refuse(context, problems.shuttingDown);
      const reserved = await reserve();
      if ('problem' in reserved) return refuse(context, reserved.problem);
      if (inferences.isClosing() || raw.signal.aborted) {
        reserved.settle(null);
        return refuse(context, inferences.isClosing() ? problems.shuttingDown : problems.cancelled);
      }

      try {
        line.wait(true);
        const started = await inferences.start({ ...asked, onEnd: (told) => onEnd(told, reserved.settle) });
        // In another process somebody was faster with the same key.
        if (!started.isNew) reserved.settle(null);
        line.wait(started.isNew);
        return answer(started);
      } catch (error) {
        line.wait(false);
        reserved.settle(null);
        throw error;
      }
    }
    // Of two that come at once the second finds what the first has begun, and needs no room of its own.
    return inTurn(key === null ? null : JSON.stringify([principal.id, key]), begin);
  };
}
