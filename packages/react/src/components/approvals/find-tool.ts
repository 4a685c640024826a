import { type AgentDefinition, type JsonObject, type JsonValue, Tool } from '@vitrine/core';
import type { ArgumentField } from './argument-fields.ts';

/** Finds a tool by name in an agent and its subagents; null if there is none or if the name is ambiguous. */
export function findTool(agent: AgentDefinition, name: string): Tool | null {
  const found = new Set(allTools(agent, new Set()).filter((tool) => tool.name === name));
  const [tool = null] = found;
  return found.size === 1 ? tool : null;
}

function allTools(agent: AgentDefinition, seen: Set<AgentDefinition>): readonly Tool[] {
  if (seen.has(agent)) return [];
  seen.add(agent);
  return [
    ...agent.tools,
    ...agent.plugins.flatMap(({ tools }) => tools),
    ...agent.subagents.flatMap((sub) => allTools(sub.agent, seen)),
  ];
}

/** Resolves with the JSON Schema of a tool's input as the model gets it, e.g. of `zod/mini`; null if there is none. */
export async function schemaOf(tool: Tool | null): Promise<JsonObject | null> {
  try {
    return tool === null ? null : await Tool.inputSchema(tool);
  } catch {
    // The model got no schema either, so the fields come from its input.
    return null;
  }
}

/**
 * Validates an input against the tool's schema. Returns error sentences with the labels of their fields; a schema
 * that throws gives the message of its error. Empty if the input is valid.
 */
export async function errorsOf(
  tool: Tool | null,
  input: JsonValue,
  fields: readonly ArgumentField[],
): Promise<readonly string[]> {
  const result = await validateInput(tool, input);
  if (result instanceof Error) return [result.message];
  return (result?.issues ?? []).map(({ message, path }) => {
    const [name, ...inner] = (path ?? []).map((key) => String(typeof key === 'object' ? key.key : key));
    const label = fields.find((field) => field.name === name)?.label ?? name;
    const place = [label, ...inner].filter((part) => part !== undefined).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
}

type Validated = Awaited<ReturnType<NonNullable<Tool['input']>['~standard']['validate']>>;

async function validateInput(tool: Tool | null, input: JsonValue): Promise<Validated | Error | undefined> {
  try {
    return await tool?.input?.['~standard'].validate(input);
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}
