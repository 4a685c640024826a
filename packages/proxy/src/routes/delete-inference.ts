import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import { problems, refuse } from '../guard/problems.ts';
import type { ProxyContext } from './proxy-context.ts';

/** `DELETE /v1/inference/:id`: ends a stream for all who read it, by an event `stream-cancelled`. */
export function deleteInference({ inferences }: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    const id = context.req.param('id') ?? '';
    const isThere = await inferences.cancel(id, context.get('principal').id);
    if (isThere) context.get('line').note({ id });
    return isThere ? context.body(null, 204) : refuse(context, problems.unknownInference);
  };
}
