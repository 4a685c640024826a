import type { JsonValue } from '../kit/json.ts';
import type { Tool } from '../agent/tool.ts';

/**
 * A tool for tests: takes anything and gives a value, or what a function makes of the input. When that throws, the
 * error of the call names the tool.
 */
export function fakeTool(
  name: string,
  result: JsonValue | ((input: JsonValue) => JsonValue | Promise<JsonValue>),
): Tool<JsonValue, JsonValue> {
  return {
    name,
    description: `Fake ${name}`,
    input: null,
    inputSchema: { type: 'object' },
    output: null,
    needsApproval: () => false,
    effects: 'idempotent',
    timeoutMs: null,
    errorMessage: (error) => `${name}: ${error instanceof Error ? error.message : String(error)}`,
    execute: (input) => (typeof result === 'function' ? result(input) : result),
    pluginId: null,
  };
}
