// Its file holds what the engine needs of hooks; see `runs.ts` for why the name is a binding of its own.
import { defineHook as define } from '../agent/hook.ts';

/** Describes a hook. @throws AgentError `agent-invalid` for a time limit that is no positive number. */
export const defineHook: typeof define = define;
