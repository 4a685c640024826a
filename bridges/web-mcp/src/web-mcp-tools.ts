import type { Plugin } from '@vitrine/core/internal/agent/plugin/plugin';
import type { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { type JsonValue, modelJson, readJson } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import {
  type ForeignRule,
  type ForeignTool,
  foreignTools,
} from '@vitrine/core/internal/features/foreign-tools';
import { isOwn, type ModelContext, modelContext, type PageTool } from './model-context.ts';

/** Options of `webMcpTools`. */
export type WebMcpToolsOptions = {
  /** The rule that says which calls a person has to approve. Default: all, unless the page says that the tool only reads. */
  readonly needsApproval?: ForeignRule;
  /** Called once for each cause when tools cannot be used. Default: `reportError`, which the console shows. */
  readonly onError?: (error: AgentError) => void;
};

/**
 * A plugin with the tools that scripts of this page have registered for agents of the browser (WebMCP), as they are
 * before each model call. Tools of frames of other origins and those that this library offers are left out. Browsers
 * that do not tell their tools to the page give none.
 * @example
 * const agent = defineAgent({ plugins: [webMcpTools()] });
 */
export function webMcpTools({ needsApproval, onError }: WebMcpToolsOptions = {}): Plugin<unknown> {
  return foreignTools({
    id: 'web-mcp',
    owner: 'this page',
    prefix: '',
    rule: needsApproval,
    list: listTools,
    onError,
  });
}

async function listTools(): Promise<readonly ForeignTool[]> {
  const context = modelContext();
  if (context?.getTools === undefined || context.executeTool === undefined) return [];
  const tools = await context.getTools();
  return tools
    .filter(({ name, origin = location.origin }) => origin === location.origin && !isOwn(name))
    .map((tool) => foreignTool(context, tool));
}

function foreignTool(context: ModelContext, tool: PageTool): ForeignTool {
  const { name, description, inputSchema = {}, annotations } = tool;
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    name,
    description,
    inputSchema: typeof inputSchema === 'string' ? valueOf(inputSchema) : inputSchema,
    isReadOnly,
    isRepeatable: false,
    asks: !isReadOnly,
    timeoutMs: 60_000,
    call: async (input, { signal }) => {
      const result = await context.executeTool?.(tool, input, { signal });
      return typeof result === 'string' ? valueOf(result) : toJson(result);
    },
  };
}

/** The object or list that a text is the JSON of; other texts stay. */
function valueOf(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  const read = readJson(text, modelJson);
  return read.ok ? read.value : text;
}
