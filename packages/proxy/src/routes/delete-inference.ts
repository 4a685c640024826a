import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyContext } from '../proxy-context.ts';

/** `DELETE /v1/inference/:id`: ends a stream for all who read it. */
export function deleteInference({ inferences, refuse }: ProxyContext): Handler<GuardEnv> {
  return (context) => {
    const inference = inferences.get(context.req.param('id') ?? '', context.get('principal').id);
    if (!inference) return refuse(problems.unknownInference);
    inference.cancel();
    return context.body(null, 204);
  };
}
