// Entry `@vitrine/core/mcp`: the tools of MCP servers.
export { mcpTools, type McpToolsOptions } from './mcp-tools.ts';
export type { ForeignCall, ForeignRule } from '../foreign-tools.ts';
