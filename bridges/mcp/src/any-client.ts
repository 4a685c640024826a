import type { Client } from '@modelcontextprotocol/client';
import * as errors from '@vitrine/core/internal/kit/errors';
import type { RequestOptions } from './mcp-calls.ts';

/** A client of `@modelcontextprotocol/sdk` 1, as far as it is used. */
type OlderClient = {
  readonly callTool: (params: never, resultSchema: never, options: never) => Promise<unknown>;
  readonly listTools: (params: never, options: never) => Promise<unknown>;
  readonly listResources: (params: never, options: never) => Promise<unknown>;
  readonly readResource: (params: never, options: never) => Promise<unknown>;
  readonly getServerCapabilities: () => unknown;
};

/** A client that is connected: of `@modelcontextprotocol/client` 2, or of `@modelcontextprotocol/sdk` 1. */
export type McpClient = Client | OlderClient;

type Call = (...given: readonly unknown[]) => Promise<{ readonly [field: string]: unknown }>;

/** Clients of the SDK 1, with the functions of a newer one. */
const newer = new WeakMap<object, Client>();

const mostPages = 100;

/**
 * The functions of a client in the form of the version 2. That of a client of the SDK 1 is the same each time.
 * @throws AgentError `agent-invalid` for anything else
 */
export function clientOf(given: McpClient): Client {
  const { callTool, listTools } = given as Partial<OlderClient>;
  if (typeof callTool !== 'function' || typeof listTools !== 'function')
    throw errors.agentInvalid(
      'mcpTools: this is no client of MCP. Give a connected `Client` of @modelcontextprotocol/client 2 or @modelcontextprotocol/sdk 1.',
    );
  if ('getProtocolEra' in given) return given;
  const known = newer.get(given) ?? newerClient(given);
  newer.set(given, known);
  return known;
}

/** A client whose calls have the options second, and whose lists are whole. It answers no questions of the server. */
function newerClient(old: OlderClient): Client {
  const call = (name: Exclude<keyof OlderClient, 'getServerCapabilities'>): Call =>
    (old[name] as Call).bind(old);
  const made = {
    callTool: (params: object, options?: RequestOptions) => call('callTool')(params, undefined, options),
    async listTools(_params: unknown, options?: RequestOptions) {
      const tools: unknown[] = [];
      let cursor: unknown;
      for (let page = 0; page < mostPages; page++) {
        const listed = await call('listTools')(cursor === undefined ? undefined : { cursor }, options);
        if (Array.isArray(listed['tools'])) tools.push(...(listed['tools'] as unknown[]));
        cursor = listed['nextCursor'];
        if (cursor === undefined) break;
      }
      return { tools };
    },
    // Clients of servers without resources may lack both, and are then never asked for any.
    listResources: (...given: readonly unknown[]) => call('listResources')(...given),
    readResource: (...given: readonly unknown[]) => call('readResource')(...given),
    getServerCapabilities: () => old.getServerCapabilities(),
  };
  return made as unknown as Client;
}
