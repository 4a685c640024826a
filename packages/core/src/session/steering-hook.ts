import { append } from '../messages/message-store.ts';
import type { Message } from '../messages/message.ts';
import { changeContext } from '../state/change.ts';
import { withExecutionContinued } from '../state/execution-transitions.ts';
import { defineHook, type Hook } from '../hooks/hook.ts';

/** Puts what the user says during a run into it, between two steps, and lets the run go on to answer it. */
export function steeringHook(waiting: Message[]): Hook {
  return defineHook({
    name: 'session-steering',
    on: 'after-step',
    priority: Number.NEGATIVE_INFINITY,
    run(state, ctx) {
      if (waiting.length === 0) return state;
      const store = append(state.context.store, waiting.splice(0));
      return withExecutionContinued(changeContext(state, { store }, ctx.env), ctx.env);
    },
  });
}
