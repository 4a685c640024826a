// Its file also holds parts that the engine needs; see `runs.ts` for the reason of the separate binding.
import { defineHook as define } from '../agent/hook.ts';

/** Defines a hook. @throws AgentError `agent-invalid` for a time limit that is no positive number. */
export const defineHook: typeof define = define;
