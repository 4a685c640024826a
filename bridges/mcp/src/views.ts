import type { CallToolResult, Client, Tool as McpTool } from '@modelcontextprotocol/client';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import { usableTools } from '@vitrine/core/internal/features/foreign-tools';
import { clientOf, type McpClient } from './any-client.ts';
import type { RequestOptions } from './mcp-calls.ts';

/** The view that a server has for the calls of a tool (MCP Apps). */
export type McpView = {
  readonly toolName: string;
  /** The tool as the server describes it. */
  readonly tool: McpTool;
  /** The address of the view, a resource of the server that begins with `ui://`. */
  readonly uri: string;
  /**
   * The whole result of a call that this page has made lately. Null for any other one, of which the state has what the
   * model got.
   */
  readonly resultOf: (toolCallId: string) => CallToolResult | null;
};

/**
 * The views of the tools that `mcpTools` offers with the same `name`. It asks the server for its tools.
 * @throws whatever the client throws when the tools cannot be listed.
 */
export async function mcpViews(
  given: McpClient,
  { name = '', signal }: { readonly name?: string; readonly signal?: AbortSignal } = {},
): Promise<readonly McpView[]> {
  const client = clientOf(given);
  const tools = await modelTools(client, signal === undefined ? {} : { signal });
  const resultOf = (toolCallId: string): CallToolResult | null =>
    results.get(client)?.get(toolCallId) ?? null;
  return usableTools([...tools, ...resourceTools(client)], prefixOf(name)).flatMap(
    ({ tool, name: toolName }) => {
      const uri = viewOf(tool);
      return uri === null ? [] : [{ toolName, tool, uri, resultOf }];
    },
  );
}

/** The tool of ours that reads resources, as the server would describe it; none for a server without resources. */
export function resourceTools(client: Client): readonly McpTool[] {
  if (client.getServerCapabilities()?.resources === undefined) return [];
  return [
    {
      name: 'read_resource',
      description:
        'Reads a resource of the server, such as a file that a result links to. Without `uri` it lists the resources.',
      inputSchema: { type: 'object', properties: { uri: { type: 'string' } } },
    },
  ];
}

/** The prefix of the tools of a server with a name. */
export function prefixOf(name: string): string {
  return name === '' ? '' : `${name}_`;
}

/** The tools of a server for a model: all but those for views only. */
export async function modelTools(client: Client, options: RequestOptions): Promise<readonly McpTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const { tools } = await client.listTools(undefined, options);
  return tools.filter((tool) => isVisibleTo(tool, 'model'));
}

/** True when a server lets a model or a view call a tool. Default of the protocol: both. */
export function isVisibleTo(tool: McpTool, who: 'model' | 'app'): boolean {
  const { visibility } = uiOf(tool);
  return !Array.isArray(visibility) || visibility.includes(who);
}

/** The address of the view of a tool, or null. Older servers write it beside `ui`. */
function viewOf(tool: McpTool): string | null {
  const uri = uiOf(tool)['resourceUri'] ?? tool._meta?.['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length <= 2_000 ? uri : null;
}

function uiOf({ _meta }: McpTool): { readonly [field: string]: unknown } {
  const ui = _meta?.['ui'];
  return isPlainObject(ui) ? (ui as { readonly [field: string]: unknown }) : {};
}

/** The last results for views by client. The state does not keep what a model does not get. */
const results = new WeakMap<Client, Map<string, CallToolResult>>();
const mostResults = 50;

export function keepResult(client: Client, tool: McpTool, toolCallId: string, result: CallToolResult): void {
  if (viewOf(tool) === null) return;
  const kept = results.get(client) ?? new Map<string, CallToolResult>();
  results.set(client, kept.set(toolCallId, result));
  const [oldest] = kept.keys();
  if (kept.size > mostResults && oldest !== undefined) kept.delete(oldest);
}
