// The namespace `Tool`: lists of tools, and the description of a tool for the model.
import * as errors from '../kit/errors.ts';
import type { JsonObject } from '../kit/json.ts';
import { inputSchemaOf, loadConverterForTools } from './json-schema-of.ts';
import { type Tool, type ToolFilter, toolNamed } from './tool.ts';

/**
 * Resolves with the JSON Schema of a tool's input for the model. The converter for schemas of `zod/mini` is loaded with
 * the first one.
 * @throws AgentError `agent-invalid`, naming the tool, when the schema cannot be expressed.
 */
export async function inputSchema(tool: Tool): Promise<JsonObject> {
  await loadConverterForTools([tool]);
  return inputSchemaOf(tool);
}

/** Adds a tool; one of the same name is replaced in place. */
export function withTool(tools: readonly Tool[], tool: Tool): readonly Tool[] {
  const at = tools.findIndex((candidate) => candidate.name === tool.name);
  return at < 0 ? [...tools, tool] : tools.map((candidate, index) => (index === at ? tool : candidate));
}

/** All tools but the one of that name. */
export function withoutTool(tools: readonly Tool[], name: string): readonly Tool[] {
  return tools.filter((tool) => tool.name !== name);
}

/** Merges both lists; of two tools with one name the right one is used. */
export function merge(left: readonly Tool[], right: readonly Tool[]): readonly Tool[] {
  return right.reduce<readonly Tool[]>(withTool, left);
}

/** Finds a tool by name, or else the one of any name. @throws AgentError `tool-not-found`, with the available names. */
export function get(tools: readonly Tool[], name: string): Tool {
  const tool = toolNamed(tools, name);
  if (tool) return tool;
  throw errors.toolNotFound({ toolName: name, available: tools.map((candidate) => candidate.name) });
}

/** Returns the tools that pass the filter. */
export function filter(tools: readonly Tool[], { allow = null, deny = [] }: ToolFilter): readonly Tool[] {
  return tools.filter((tool) => (allow === null || allow.includes(tool.name)) && !deny.includes(tool.name));
}
