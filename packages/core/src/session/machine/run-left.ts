import type { Turn } from '../agent-session.ts';
import type { SessionModel } from './session-model.ts';
import { andThen, tell, to, type Transition } from './transition.ts';

/** Ends a run whose journal is left: its later events are ignored, and its promises settle as stopped. */
export function runLeft(model: SessionModel, message: string): Transition {
  const { run } = model;
  if (run === null) return to(model);
  const turns = [run.turn, ...run.steered].map((turn): Turn => ({
    ...turn,
    status: 'done',
    outcome: 'stopped',
    stopReason: 'user-requested',
  }));
  const [turn = run.turn] = turns;
  const over = to(
    { ...model, run: null },
    { type: 'abandon', runId: run.id, message },
    { type: 'finish', turn },
  );
  return andThen(over, (next) => tell(next, turns));
}
