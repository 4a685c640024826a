// Entry `@vitrine/mcp`: the tools of MCP servers, and their views.
export type { McpClient } from './any-client.ts';
export { mcpTools, type McpToolsOptions } from './mcp-tools.ts';
export type { ForeignRule } from '@vitrine/core/internal/features/foreign-tools';
export { mcpViews, type McpView } from './views.ts';
