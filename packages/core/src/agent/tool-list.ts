import * as errors from '../kit/errors.ts';
import type { Tool } from './tool.ts';

/** Adds a tool; one of the same name is replaced in place. */
export function withTool(tools: readonly Tool[], tool: Tool): readonly Tool[] {
  const at = tools.findIndex((candidate) => candidate.name === tool.name);
  return at < 0 ? [...tools, tool] : tools.map((candidate, index) => (index === at ? tool : candidate));
}

/** All tools but the one of that name. */
export function withoutTool(tools: readonly Tool[], name: string): readonly Tool[] {
  return tools.filter((tool) => tool.name !== name);
}

/** Both lists; where a name is in both, the right side wins. */
export function merge(left: readonly Tool[], right: readonly Tool[]): readonly Tool[] {
  return right.reduce<readonly Tool[]>(withTool, left);
}

/** @throws AgentError `tool-not-found`, with the names that exist. */
export function get(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool;
  const names = tools.map((candidate) => candidate.name);
  throw errors.toolNotFound({ toolName: name, available: names });
}

/** Which of the tools of a list another agent may use: `allow` (null = all) first, then `deny`. */
export type ToolFilter = { readonly allow?: readonly string[] | null; readonly deny?: readonly string[] };

/** The tools that the filter lets through. */
export function filter(tools: readonly Tool[], { allow = null, deny = [] }: ToolFilter): readonly Tool[] {
  return tools.filter((tool) => (allow === null || allow.includes(tool.name)) && !deny.includes(tool.name));
}
