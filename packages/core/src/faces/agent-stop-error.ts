// The engine uses it too; see `runs.ts` for the reason of the separate binding.
import { AgentStopError as StopError } from '../graph/agent-stop-error.ts';

/** An error that ends the run with your own stop signal. Throw it in a hook, tool, guard or inference client. */
export type AgentStopError = StopError;
/** An error that ends the run with your own stop signal. Throw it in a hook, tool, guard or inference client. */
export const AgentStopError: typeof StopError = StopError;
