import type { Handler } from 'hono';
import type { GuardEnv } from '../../guard/guard.ts';
import { refuse } from '../../problems/problem.ts';
import { within } from '../../kit/time.ts';
import { sessionProblems } from '../session-problems.ts';
import type { SessionRoutesOptions } from '../session-routes-options.ts';

/** The longest wait for the store, in milliseconds. */
const readyMs = 1000;

/** `GET /readyz`: 503 when the store does not answer within a second. */
export function getStoreReadiness(store: SessionRoutesOptions['store']): Handler<GuardEnv> {
  return async (context) => {
    const asked = Promise.resolve().then(() => store.rows('').head('readyz'));
    const isReady = await within(
      readyMs,
      asked.then(() => true),
      false,
    );
    return isReady ? context.json({ status: 'ready' }) : refuse(context, sessionProblems.storage);
  };
}
