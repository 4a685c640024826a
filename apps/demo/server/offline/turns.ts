import type { InferenceRequest, JsonObject, JsonValue } from '@vitrine/core';
import type { OfflineReply, OfflineTurn } from '@vitrine/proxy/offline';

export type ToolDescription = InferenceRequest['tools'][number];
/** A call of a tool in a reply. */
export type Call = NonNullable<OfflineReply['toolCalls']>[number];
/** The result of a call. */
export type Result = OfflineTurn['results'][number];

/** The tool with a name, if the agent has it. */
export function toolOf({ request }: OfflineTurn, name: string): ToolDescription | null {
  return request.tools.find((tool) => tool.name === name) ?? null;
}

/** The output of a tool. It is a text of JSON where plugins told something behind it. */
export function outputOf({ output }: Result): JsonValue {
  if (typeof output !== 'string' || !output.startsWith('{')) return output;
  try {
    return JSON.parse(output) as JsonValue;
  } catch {
    return output;
  }
}

/** The descriptions of a tool's arguments, by their names. */
export function argumentsOf({ inputSchema }: ToolDescription): Readonly<Record<string, JsonObject>> {
  const properties = inputSchema['properties'];
  return isObject(properties) ? (properties as Record<string, JsonObject>) : {};
}

export function takesQuery(tool: ToolDescription): boolean {
  return 'query' in argumentsOf(tool);
}

/** True for a JSON object, which is no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
