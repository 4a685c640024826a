import type { AgentState } from '@vitrine/core/internal/graph/types';
import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { everyCallOf } from '../agents-of.ts';
import type { ForkEdit } from '../fork-runs.ts';

type Change = (value: JsonValue, field: string) => JsonValue;
type ResultVariant = { readonly tool: string; readonly name: string; readonly edit: ForkEdit };

const figureIn =
  (fields: RegExp, change: (figure: number) => number): Change =>
  (value, field) =>
    typeof value === 'number' && fields.test(field) ? change(value) : value;
// Leading zeros belong to ids.
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/;
const money = /amount|price|total|cost|fee|balance|sum|salary|cents?$/i;
const heat = /temp|degrees?|fahrenheit/i;
/** The changes of the values of a result. A figure in a wrong unit is wrong by one of them. */
const changes: readonly (readonly [name: string, change: Change])[] = [
  ['numbers as numbers', (value) => (number.test(String(value)) ? Number(value) : value)],
  ['amounts in hundreds', figureIn(money, (cents) => cents / 100)],
  ['temperatures in °C', figureIn(heat, (fahrenheit) => Math.round(((fahrenheit - 32) * 50) / 9) / 10)],
  ['values left out', () => null],
];

/** Proposes other results of the tools that a run called. */
export function proposeResults(end: AgentState): readonly ResultVariant[] {
  const calls = everyCallOf(end).filter(
    ({ status, childState }) => status === 'completed' && childState === null,
  );
  return [...new Set(calls.map(({ toolCall }) => toolCall.name))].flatMap((tool) =>
    changes.flatMap(([what, change]) => {
      const own = calls.filter(({ toolCall }) => toolCall.name === tool);
      const given = own.map(({ id, result = null }) => [id, withValues(result, change), result] as const);
      if (given.every(([, changed, result]) => equalJson(changed, result))) return [];
      const edit = { results: Object.fromEntries(given) };
      return [{ tool, name: `the ${what} in the result of \`${tool}\``, edit }];
    }),
  );
}

/** A copy of a result with other texts and numbers. */
function withValues(result: JsonValue, change: Change): JsonValue {
  return JSON.parse(JSON.stringify(result), (field, value: JsonValue) =>
    typeof value === 'object' && value !== null ? value : change(value, field),
  ) as JsonValue;
}
