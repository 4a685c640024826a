import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyContext } from '../proxy-context.ts';

/** `DELETE /v1/inference/:id`: ends a stream for all who read it, by an event `stream-cancelled`. */
export function deleteInference({ inferences, refuse }: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    const isThere = await inferences.cancel(context.req.param('id') ?? '', context.get('principal').id);
    return isThere ? context.body(null, 204) : refuse(problems.unknownInference);
  };
}
