import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';

const example = 'Call it as testSessionStore(() => ({ store: myStore() })).';
const methods = ['load', 'takeEpoch', 'save', 'append', 'remove', 'list'] as const;
const outboxMethods = ['put', 'take', 'drop'] as const;

/** Checks the argument of the suite. @throws AgentError `agent-invalid` when it is not a function. */
export function checkMaker(make: MakeStore): void {
  if (typeof make === 'function') return;
  const given = isStore(make) ? 'a store' : nameOf(make);
  throw invalid(
    `testSessionStore was given ${given}, and needs a function that makes an empty store. ${example}`,
  );
}

/**
 * Checks the result of the function. @throws AgentError `agent-invalid` when it is not an object with an empty store.
 */
export function checkMade(made: StoreUnderTest): void {
  if (isStore(made))
    throw invalid(`The function for testSessionStore made a store itself; put it into an object. ${example}`);
  const store: unknown = isObject(made) ? made.store : undefined;
  if (!isObject(store)) {
    const given = isObject(made) ? `an object whose store is ${nameOf(store)}` : nameOf(made);
    throw invalid(`The function for testSessionStore made ${given} instead of { store }. ${example}`);
  }
  const outbox = store['outbox'];
  const missing = [
    ...methods.filter((name) => typeof store[name] !== 'function'),
    ...outboxMethods
      .filter((name) => !isObject(outbox) || typeof outbox[name] !== 'function')
      .map((name) => `outbox.${name}`),
  ];
  if (missing.length === 0) return;
  throw invalid(
    `The store for testSessionStore has no ${missing.join(', ')}. Every SessionStore needs them.`,
  );
}

function isStore(value: unknown): boolean {
  return isObject(value) && typeof value['load'] === 'function' && typeof value['save'] === 'function';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function nameOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

function invalid(message: string): AgentError {
  return new AgentError('agent-invalid', message);
}
