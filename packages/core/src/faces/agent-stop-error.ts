// Needed by the engine as well; see `runs.ts` for why the name is a binding of its own.
import { AgentStopError as StopError } from '../graph/agent-stop-error.ts';

/** Throw it in a hook, tool, guard or inference client to end the run with a signal of your own. */
export type AgentStopError = StopError;
/** Throw it in a hook, tool, guard or inference client to end the run with a signal of your own. */
export const AgentStopError: typeof StopError = StopError;
