import { append } from '../graph/message-store.ts';
import type { Message } from '../graph/message.ts';
import { changeContext } from '../graph/agent-state/change.ts';
import { withExecutionContinued } from '../graph/agent-state/execution-transitions.ts';
import { defineHook, type Hook } from '../agent/hook.ts';

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
