// What applications take of runs, and the engine needs as well. Each name is a binding of its own here: a bundler that
// splits by files follows one that is only passed on, and puts the engine's files into the chunk that a page starts with.
import { apply as applyEvent, fold as foldEvents } from '../run/apply.ts';
import { createJournal as newJournal } from '../run/journal.ts';
import { runAgent as run } from '../run/run-agent.ts';
import { finalOutput as outputOf } from '../run/step/structured-output.ts';
import { allViews } from '../session/conversation/all-views.ts';
import { bringViews } from '../session/conversation/later-views.ts';

/** The state after an event: the one function that gives a run its next state. */
export const apply: typeof applyEvent = applyEvent;
/** The state after many events, one after the other. */
export const fold: typeof foldEvents = foldEvents;
/** A new journal over a state: all that happens to it, in order. */
export const createJournal: typeof newJournal = newJournal;
/** The final answer as data of the schema that the agent's `responseFormat` was given as. */
export const finalOutput: typeof outputOf = outputOf;
/** Runs an agent on what is said to it, and gives its answer; the state behind it can be shown at once. */
export const runAgent: typeof run = (...given) => {
  bringViews(allViews);
  return run(...given);
};
