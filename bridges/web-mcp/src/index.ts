// Entry `@vitrine/web-mcp`: tools of the page (WebMCP), in both directions.
export { webMcpTools, type WebMcpToolsOptions } from './web-mcp-tools.ts';
export { offerAgentTools } from './offer-agent-tools.ts';
export { offerTools, type OfferedTool } from './model-context.ts';
export type { ForeignRule } from '@vitrine/core/internal/features/foreign-tools';
