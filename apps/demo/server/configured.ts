import { isAgentError } from '@vitrine/core';
import { fail } from './fail.ts';

/** Evaluates a function of the environment. An invalid setting ends the process with one sentence. */
export function configured<Value>(make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    if (isAgentError(error, 'agent-invalid')) return fail(error.message);
    throw error;
  }
}
