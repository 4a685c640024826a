import * as errors from '../kit/errors.ts';
import { isAgentError } from '../kit/agent-error.ts';
import { of as budgetOf } from '../graph/execution-budget.ts';
import { type ExecutionBudget, type SessionBudget, sessionLimits } from '../graph/limits.ts';
import { type LlmConfig, type ModelPrice, checkSettings } from '../graph/llm-config.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../kit/json.ts';
import { toJson } from '../kit/to-json.ts';

const defaultMaxSteps = 20;

/** Copy of that in `kit/async`: sharing the file with the engine would cost every page 50 bytes. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Checks a time limit in milliseconds: null when it is omitted, Infinity when no timer could count it.
 * @throws AgentError `agent-invalid` for NaN, 0 and negative numbers.
 */
export function checkedTimeLimit(ms: number | undefined, what: string): number | null {
  if (ms === undefined) return null;
  if (typeof ms === 'number' && ms > 0) return ms > longestTimerMs ? Infinity : ms;
  const message = `${what} is ${String(ms)}; give milliseconds above 0, Infinity for no limit, or leave it out.`;
  throw errors.agentInvalid(message);
}

/** Checks a count. @throws AgentError `agent-invalid` unless it is a whole number of at least `least`. */
export function checkedCount(count: number, least: number, what: string): number {
  if (Number.isInteger(count) && count >= least) return count;
  throw errors.agentInvalid(`${what} is ${String(count)}; give a whole number of ${least} or more.`);
}

/** Checks an amount. @throws AgentError `agent-invalid` unless it is finite and not negative. */
export function checkedAmount(amount: number, what: string): number {
  if (Number.isFinite(amount) && amount >= 0) return amount;
  throw errors.agentInvalid(`${what} is ${String(amount)}; give a number of 0 or more.`);
}

/**
 * Checks a budget; without a step limit it has 20 steps. Only null removes a limit.
 * @throws AgentError `agent-invalid` for a limit that is NaN, infinite, negative or undefined, or that does not exist.
 */
export function checkedBudget(limits: Partial<ExecutionBudget> = {}, owner: string): ExecutionBudget {
  try {
    return budgetOf({ maxSteps: defaultMaxSteps, ...limits });
  } catch (thrown) {
    throw isAgentError(thrown, 'budget-invalid')
      ? errors.agentInvalid(`${owner}: ${thrown.message}`)
      : thrown;
  }
}

/**
 * Checks the limits of a session.
 * @throws AgentError `agent-invalid` for a limit that is NaN, infinite, negative or undefined, or that does not exist.
 */
export function checkedSessionBudget(given: Partial<SessionBudget> = {}, owner: string): SessionBudget {
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(sessionLimits, key))
      throw errors.agentInvalid(
        `${owner}: sessionBudget.${key} is not a limit. The limits are tokens, cost.`,
      );
    const value: unknown = given[key as keyof SessionBudget];
    if (value !== null && !(typeof value === 'number' && Number.isFinite(value) && value >= 0)) {
      const message = `${owner}: sessionBudget.${key} is ${String(value)}; give a number of 0 or more, null for no limit, or leave it out.`;
      throw errors.agentInvalid(message);
    }
  }
  return { tokens: given.tokens ?? null, cost: given.cost ?? null };
}

/**
 * Checks a limit of bytes; null for Infinity.
 * @throws AgentError `agent-invalid` unless it is a whole number of at least 1, or Infinity.
 */
export function checkedBytes(bytes: number, what: string): number | null {
  return bytes === Infinity ? null : checkedCount(bytes, 1, what);
}

/** Model, settings and prices as `defineAgent` takes them; omitted fields are null or empty. */
export type LlmConfigInit = {
  /** Id of the model, `provider:model` behind a proxy. Null leaves the choice to the client. */
  model?: string | null;
  /** Provider settings such as temperature, topP and maxOutputTokens; never a key. */
  settings?: JsonObject;
  /** Prices by model id, in US dollars per million tokens, used when the proxy reports no cost. */
  prices?: { readonly [model: string]: ModelPrice };
};

/**
 * Checks and completes a configuration.
 * @throws AgentError `llm-settings-secret` for settings that look like a secret (they would be saved with every
 * session), `agent-invalid` for values that JSON cannot hold, and for prices that are negative or no number.
 */
export function checkLlmConfig(init: LlmConfigInit, owner: string): LlmConfig {
  const { model = null, settings = {}, prices } = init;
  if (model !== null && (typeof model !== 'string' || model === '')) {
    throw errors.agentInvalid(
      `${owner}: llmConfig.model is ${JSON.stringify(model)}; give the id of a model, or null.`,
    );
  }
  const plain = toJson(settings);
  const odd = oddPath(settings, plain, 'llmConfig.settings');
  if (odd !== null) throw errors.agentInvalid(`${owner}: ${odd} is not JSON; settings are plain data.`);
  for (const [id, price] of Object.entries(prices ?? {})) {
    const { above, isEstimated: _isEstimated, ...row } = (price as ModelPrice | null) ?? ({} as ModelPrice);
    const path = `${owner}: llmConfig.prices[${JSON.stringify(id)}]`;
    checkRow({ ...noRow, ...row }, path);
    if (above !== undefined) checkRow({ ...noRow, ...above, tokens: above.tokens }, `${path}.above`);
  }
  return {
    model,
    settings: checkSettings(plain, `${owner}: llmConfig`),
    ...(prices === undefined ? {} : { prices }),
  };
}

const noRow = { input: undefined, output: undefined };

/** @throws AgentError `agent-invalid` for an amount that is missing, negative or no number. */
function checkRow(row: { readonly [kind: string]: unknown }, path: string): void {
  for (const [kind, amount] of Object.entries(row)) checkedAmount(amount as number, `${path}.${kind}`);
}

/** The path of a value that JSON changed; null when there is none. Undefined properties are absent from both. */
function oddPath(value: unknown, json: JsonValue | undefined, path: string): string | null {
  if (value === json) return null;
  if (typeof json !== 'object' || json === null) return path;
  if (!Array.isArray(value) && !isPlainObject(value)) return path;
  for (const [key, child] of Object.entries(value)) {
    const odd = oddPath(child, (json as JsonObject)[key], `${path}.${key}`);
    if (odd !== null) return odd;
  }
  return null;
}

/**
 * Rejects an option that does not exist, in development only, which only plain JavaScript can give. `known` is any object that has all
 * options, and `foreign` names the options of other libraries with those of this one.
 * @throws AgentError `agent-invalid` with the nearest option, or else all of them.
 */
export function checkOptions(
  given: object,
  known: object,
  owner: string,
  foreign: Readonly<Record<string, string>>,
): void {
  const wrong = Object.entries(given).find(
    ([key, value]) => value !== undefined && !Object.hasOwn(known, key),
  )?.[0];
  if (wrong === undefined) return;
  const names = Object.keys(known);
  const near = names.find((name) => isWithin(wrong, name) || isWithin(name, wrong));
  const instead = Object.hasOwn(foreign, wrong) ? foreign[wrong] : near;
  const message = `${owner}: there is no option ${wrong}; ${instead === undefined ? `the options are ${names.join(', ')}` : `use ${instead}`}.`;
  throw errors.agentInvalid(message);
}

/** True when all letters of one name are in the other one in the same order: "sytem" in "systemPrompt". */
function isWithin(name: string, other: string): boolean {
  let found = 0;
  for (const letter of other) if (letter === name[found]) found += 1;
  return found === name.length;
}

/**
 * Objects by name where a list belongs, as other libraries take tools, with the sentence of the compiler for them. A
 * member has no name of its own, so declarations of other libraries hold the sentence itself.
 */
export type Refused = {
  readonly byName: {
    readonly [
      name: string
    ]: 'Write a list of what defineTool, definePlugin, defineAgent or defineHook made: [a, b], not { a, b }.';
  };
};

/**
 * Checks a list of definitions. `mark` is a field that each of them has, and `make` the function that makes one.
 * @throws AgentError `agent-invalid` for another value, or an entry that is no such definition.
 */
export function checkedList<Entry>(
  list: readonly Entry[] | Refused['byName'] | undefined,
  what: string,
  mark: string,
  make: string,
): readonly Entry[] {
  const entries = checkedArray<Entry>(list, what, mark, make);
  entries.forEach((entry, at) => checkDefinition(entry, `${what}[${at}]`, mark, make));
  return entries;
}

/**
 * Checks that a value is a list, of whatever entries.
 * @throws AgentError `agent-invalid` for another value. For an object by name, as other libraries take one, it says the
 * list of these names.
 */
export function checkedArray<Entry>(
  list: readonly Entry[] | Refused['byName'] | undefined,
  what: string,
  mark: string,
  make: string,
): readonly Entry[] {
  if (list === undefined) return [];
  if (Array.isArray(list)) return list as readonly Entry[];
  const names = isPlainObject(list) && !(mark in list) ? Object.keys(list).slice(0, 3).join(', ') : '';
  throw errors.agentInvalid(`${what} is not a list; give [${names || `${make}({ … })`}].`);
}

/** Checks an agent. @throws AgentError `agent-invalid` for a value that is not a definition of an agent. */
export function checkAgent(agent: unknown, what: string): void {
  checkDefinition(agent, what, 'inference', 'defineAgent');
}

function checkDefinition(value: unknown, what: string, mark: string, make: string): void {
  if (typeof value !== 'object' || value === null || !(mark in value))
    throw errors.agentInvalid(`${what} is not a definition; make it with ${make}({ … }).`);
}
