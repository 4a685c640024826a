import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { Tool } from '@vitrine/core/internal/agent/tool';

/**
 * Creates a tool for tests that accepts anything and returns a value, or the result of a function. When that throws,
 * the error of the call names the tool.
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
    maxResultBytes: null,
    errorMessage: (error) => `${name}: ${error instanceof Error ? error.message : String(error)}`,
    execute: (input) => (typeof result === 'function' ? result(input) : result),
    pluginId: null,
  };
}
