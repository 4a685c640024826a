// Entry `@vitrine/mcp/react`: the views of MCP servers (MCP Apps) in the chat.
export { type McpAppsOptions, useMcpApps } from './use-mcp-apps.tsx';
export type { McpAppTexts } from './texts.ts';
