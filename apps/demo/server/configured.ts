import { isAgentError } from '@vitrine/core';
import { fail } from './fail.ts';

/** What is made of the environment; the process ends with one sentence about what is wrong there. */
export function configured<Value>(make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    if (isAgentError(error, 'agent-invalid')) return fail(error.message);
    throw error;
  }
}
