import * as errors from '../../kit/errors.ts';

/** The library keeps what is its own beside the state of plugins, under names that begin like this. */
const reservedPrefixes = ['vitrine:', 'quarantine:'];

/**
 * @throws AgentError `agent-invalid` for an id that is empty, that the library uses, or that every object has as a property
 * (`constructor`, `__proto__`, `toString` …): state is kept by id in a plain object.
 */
export function assertPluginId(id: string): void {
  const prefix = reservedPrefixes.find((candidate) => id.startsWith(candidate));
  if (id !== '' && id !== 'prototype' && !(id in Object.prototype) && prefix === undefined) return;
  const why = id === '' ? 'is empty' : prefix ? `begins with the reserved "${prefix}"` : 'is reserved';
  throw errors.agentInvalid(`Plugin id ${JSON.stringify(id)} ${why}; give it another one.`);
}
