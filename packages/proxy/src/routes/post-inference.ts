import type { Handler } from 'hono';
import { readBody } from '../guard/body.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { eventStream } from '../stream/event-stream.ts';
import { ownerOf } from './owner-of.ts';

const maxKeyLength = 255;

/**
 * `POST /v1/inference`: asks a model, and answers with its events as they come. The headers are sent at once, so
 * whatever goes wrong with the upstream is an event. The same `Idempotency-Key` with the same body gives the same stream.
 */
export function postInference({
  models,
  defaultModel,
  inferences,
  log,
  report,
  refuse,
}: ProxyContext): Handler {
  return async (context) => {
    const startedAt = Date.now();
    const body = await readBody(context.req.raw);
    if ('problem' in body) return refuse(body.problem, { startedAt });
    const asked = body.request.model;
    const model = asked === null ? defaultModel : models.find((candidate) => candidate.id === asked);
    if (!model) return refuse(problems.unknownModel(models), { startedAt });
    const key = context.req.header('idempotency-key') || null;
    if (key !== null && key.length > maxKeyLength)
      return refuse(problems.invalid(`Idempotency-Key: at most ${maxKeyLength} characters`), { startedAt });
    // Nobody is there any more, so nobody is asked.
    if (context.req.raw.signal.aborted) return refuse(problems.cancelled, { startedAt, model: model.id });
    const { id, reader } = await inferences.start({
      client: model.client,
      request: { ...body.request, model: model.id },
      ownerId: ownerOf(context),
      key,
      onEnd(about) {
        report(about);
        // A stream has its status already; that it failed is still worth a line.
        const { id, code, ms } = about;
        if (about.outcome === 'failed' && code !== null)
          log({ id, code, status: 200, model: model.id, ms: Math.round(ms) });
      },
    });
    return eventStream(id, reader, context.req.raw.signal);
  };
}
