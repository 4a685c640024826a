import { type AgentDefinition, type JsonObject, type JsonValue, Tool } from '@vitrine/core';

/** The tool of a name, of the agent or of one below it; null where there is none, or where several might be meant. */
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

/** What a model is told about the input of a tool, e.g. from a schema of `zod/mini`; null where nothing can tell. */
export function schemaOf(tool: Tool | null): JsonObject | null {
  try {
    return tool === null ? null : Tool.inputSchema(tool);
  } catch {
    // The model was told nothing either: the fields come from what it sent.
    return null;
  }
}

/** What the schema of a tool has against an input, in sentences, or why it cannot tell; none where it may run. */
export async function faultsOf(tool: Tool | null, input: JsonValue): Promise<readonly string[]> {
  const result = await validated(tool, input);
  if (result instanceof Error) return [result.message];
  return (result?.issues ?? []).map(({ message, path }) => {
    const place = (path ?? []).map((key) => String(typeof key === 'object' ? key.key : key)).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
}

type Validated = Awaited<ReturnType<NonNullable<Tool['input']>['~standard']['validate']>>;

async function validated(tool: Tool | null, input: JsonValue): Promise<Validated | Error | undefined> {
  try {
    return await tool?.input?.['~standard'].validate(input);
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}
