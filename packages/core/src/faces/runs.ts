// The functions over runs for applications, which the engine needs as well. Each name is a binding of its own: a
// bundler that splits by files follows a re-export and would put the engine's files into a page's first chunk.
import { apply as applyEvent, fold as foldEvents } from '../run/apply.ts';
import { createJournal as newJournal } from '../run/journal.ts';
import { runAgent as run } from '../run/run-agent.ts';
import { finalOutput as outputOf } from '../run/step/structured-output.ts';

/** The state after an event: the one function that creates a run's next state. */
export const apply: typeof applyEvent = applyEvent;
/** The state after a list of events. */
export const fold: typeof foldEvents = foldEvents;
/** Creates a journal over a state: all its changes, in order. */
export const createJournal: typeof newJournal = newJournal;
/** The final answer as data of the agent's `responseFormat` schema. */
export const finalOutput: typeof outputOf = outputOf;
/** Runs an agent on a message and returns its answer. */
export const runAgent: typeof run = run;
