import type { CallToolResult, Client, Tool as McpTool } from '@modelcontextprotocol/client';
import type { Plugin } from '@vitrine/core/internal/agent/plugin/plugin';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import * as errors from '@vitrine/core/internal/kit/errors';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';
import {
  type ForeignRule,
  type ForeignTool,
  foreignTools,
} from '@vitrine/core/internal/features/foreign-tools';
import { clientOf, type McpClient } from './any-client.ts';
import { type McpCalls, mcpCalls, type RequestOptions } from './mcp-calls.ts';
import { objectsIn, readContents, readResult, textOfResult } from './read-result.ts';
import { signInSentence, wantsSignIn } from './sign-in.ts';
import { keepResult, modelTools, prefixOf, resourceTools } from './views.ts';

/** Options of `mcpTools`. */
export type McpToolsOptions = {
  /**
   * A name for the server, of up to 20 letters, digits, `_` and `-`. Its tools get it before theirs, as `files_search`,
   * so that two servers may have tools of one name. Default: none, and the tools keep their names.
   */
  readonly name?: string;
  /**
   * The rule that says which calls a person has to approve. Default: all, unless the server says that the tool only reads
   * (`readOnlyHint`) or destroys nothing (`destructiveHint: false`). Give `true` for a server that you do not trust.
   */
  readonly needsApproval?: ForeignRule;
  /**
   * Milliseconds without an answer or progress after which a call fails. A call that reports progress fails after ten
   * times as long. Default: 60,000.
   */
  readonly timeoutMs?: number;
  /**
   * The most bytes of a result as JSON; a longer one is cut, with a sentence for the model. `maxResultBytes` of the agent
   * may be less. Files of a result do not count. Default: 200,000.
   */
  readonly maxResultBytes?: number;
  /**
   * Called once for each cause when tools cannot be listed or used. Default: `reportError`, which the console shows.
   */
  readonly onError?: (error: AgentError) => void;
};

/** A server with its client, and the bounds of its calls. */
type Server = {
  readonly client: Client;
  /** The server in a sentence. */
  readonly owner: string;
  readonly calls: McpCalls;
  readonly maxResultBytes: number;
};

/**
 * A plugin with the tools of an MCP server, for a client that is connected. The tools are asked for before each model
 * call, which the client answers from its cache while the server allows that. A server with resources also gets the
 * tool `read_resource`. A tool that can only be called as a task is left out.
 *
 * Calls are of `once` tools, unless the server says that they only read or may be repeated. When the server asks the
 * person (elicitation), the call waits for an approval with a form; the client needs the capability `elicitation` and
 * no handler of its own for that. Clients of `@modelcontextprotocol/sdk` 1 work too, without such questions.
 * @example
 * const client = new Client({ name: 'my-app', version: '1.0.0' });
 * await client.connect(new StreamableHTTPClientTransport(new URL('https://mcp.example/mcp')));
 * const agent = defineAgent({ plugins: [mcpTools(client, { name: 'files' })] });
 * @throws AgentError `agent-invalid` for a client, a name or a time limit that cannot be used.
 */
export function mcpTools(given: McpClient, options: McpToolsOptions = {}): Plugin<unknown> {
  const { name = '', timeoutMs = 60_000, maxResultBytes = 200_000, needsApproval, onError } = options;
  const client = clientOf(given);
  if (!/^[a-zA-Z0-9_-]{0,20}$/.test(name))
    throw errors.agentInvalid(
      `mcpTools: ${JSON.stringify(name)} cannot be used as \`name\`; give up to 20 letters, digits, "_" or "-".`,
    );
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1)
    throw errors.agentInvalid(`mcpTools: timeoutMs is ${timeoutMs}; give milliseconds of 1 or more.`);
  const owner = name === '' ? 'the MCP server' : `the MCP server ${JSON.stringify(name)}`;
  const calls = mcpCalls(client, { owner, timeoutMs });
  const server: Server = { client, owner, calls, maxResultBytes };
  const plugin = foreignTools({
    id: name === '' ? 'mcp' : `mcp.${name}`,
    owner,
    prefix: prefixOf(name),
    rule: needsApproval,
    list: (signal) => listTools(server, { signal, timeout: timeoutMs }),
    onError,
  });
  return { ...plugin, hooks: [calls.cleanUp] };
}

async function listTools(server: Server, options: RequestOptions): Promise<readonly ForeignTool[]> {
  const { client, owner } = server;
  const listed = await modelTools(client, options).catch((thrown: unknown) => {
    if (!wantsSignIn(thrown)) throw thrown;
    throw new AgentError('tools-unavailable', signInSentence(owner), { cause: thrown });
  });
  const own = listed.map((tool) => foreignTool(server, tool));
  return [...own, ...resourceTools(client).map((tool) => resourceTool(server, tool))];
}

function foreignTool(server: Server, tool: McpTool): ForeignTool {
  const { name, title, description, inputSchema, annotations, execution } = tool;
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    name,
    description: description ?? annotations?.title ?? title ?? '',
    inputSchema,
    execution,
    isReadOnly,
    isRepeatable: annotations?.idempotentHint === true,
    asks: !isReadOnly && annotations?.destructiveHint !== false,
    timeoutMs: null,
    async call(input, ctx) {
      const result = await server.calls.request(`The tool ${JSON.stringify(name)}`, ctx, (options) =>
        callTool(server, name, input, options),
      );
      keepResult(server.client, tool, ctx.toolCallId, result);
      return readResult(result, ctx, server.maxResultBytes);
    },
  };
}

async function callTool(
  { client, owner }: Server,
  name: string,
  input: JsonObject,
  options: RequestOptions,
): Promise<CallToolResult> {
  const result = await client.callTool({ name, arguments: input }, options);
  if (result.isError !== true) return result;
  throw new AgentError(
    'tool-failed',
    textOfResult(result) || `${owner} says that the call failed, and not why.`,
    { data: { toolName: name } },
  );
}

/** The tool that reads the resources of the server, which results may link to. */
function resourceTool(
  { client, calls, maxResultBytes }: Server,
  { name, description = '', inputSchema }: McpTool,
): ForeignTool {
  return {
    name,
    description,
    inputSchema,
    isReadOnly: true,
    isRepeatable: true,
    asks: false,
    timeoutMs: null,
    call: ({ uri }, ctx) =>
      calls.request('Its resource', ctx, async (options): Promise<JsonValue> => {
        if (typeof uri === 'string' && uri !== '')
          return readContents((await client.readResource({ uri }, options)).contents, ctx, maxResultBytes);
        const { resources } = await client.listResources(undefined, options);
        return objectsIn(resources)
          .slice(0, 200)
          .map(({ uri: at, name, mimeType = null }) => ({ uri: at, name, mediaType: mimeType }));
      }),
  };
}
