// Entry `@vitrine/core/mcp`: the tools of MCP servers, and their views.
export { mcpTools, type McpToolsOptions } from './mcp-tools.ts';
export type { ForeignCall, ForeignRule } from '../foreign-tools.ts';
export { isVisibleTo, mcpViews, type McpView } from './views.ts';
