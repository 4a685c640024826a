import type { Handler } from 'hono';
import { admit } from '../guard/admit.ts';
import type { GuardEnv } from '../guard/guard.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { eventStream } from '../stream/event-stream.ts';
import type { StreamReport } from '../stream/stream-report.ts';

const maxKeyLength = 255;

/**
 * `POST /v1/inference`: asks a model, and answers with its events as they come. The headers are sent at once, so
 * whatever goes wrong with the upstream is an event. The same `Idempotency-Key` with the same body gives the same stream.
 */
export function postInference(proxy: ProxyContext): Handler<GuardEnv> {
  const { inferences, log, report, refuse } = proxy;
  return async (context) => {
    const startedAt = Date.now();
    const { raw } = context.req;
    const principal = context.get('principal');
    const key = context.req.header('idempotency-key') || null;
    if (key !== null && key.length > maxKeyLength)
      return refuse(problems.invalid(`Idempotency-Key: at most ${maxKeyLength} characters`), { startedAt });
    const admitted = await admit(raw, principal, proxy);
    if ('problem' in admitted) return refuse(admitted.problem, { startedAt });
    const { model, request, expected, reserve } = admitted;
    // Nobody is there any more, so nobody is asked.
    if (raw.signal.aborted) return refuse(problems.cancelled, { startedAt, model: model.id });
    const asked = { client: model.client, request, expected, ownerId: principal.id, key };
    // Whoever comes back to an answer has paid for it already.
    const begun = await inferences.find(asked);
    if (begun) return eventStream(begun.id, begun.reader, raw.signal);
    const reserved = await reserve();
    if ('problem' in reserved) return refuse(reserved.problem, { startedAt, model: model.id });

    function onEnd(about: StreamReport): void {
      if ('settle' in reserved) reserved.settle(about.usage);
      report(about);
      // A stream has its status already; that it failed is still worth a line.
      const { id, code, ms } = about;
      if (about.outcome === 'failed' && code !== null)
        log({ id, code, status: 200, model: model.id, ms: Math.round(ms) });
    }
    try {
      const { id, reader, isNew } = await inferences.start({ ...asked, onEnd });
      // Somebody else was faster with the same key.
      if (!isNew) reserved.settle(null);
      return eventStream(id, reader, raw.signal);
    } catch (error) {
      reserved.settle(null);
      throw error;
    }
  };
}
