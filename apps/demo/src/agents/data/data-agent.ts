import { type AgentDefinition, defineAgent } from '@vitrine/react';
import { type AgentOptions, commonSettings } from '../agent-options.ts';
import { askForFollowUps, followUps } from '../follow-ups.ts';
import { drawChartTool, readTableTool } from './tools.ts';
import { withoutFiles } from './without-files.ts';

/** Creates the data agent: it reads tables that stay in the browser, and draws them. */
export function createDataAgent(options: AgentOptions): AgentDefinition {
  return defineAgent({
    ...commonSettings(options),
    name: 'data-agent',
    systemPrompt: `You help with tables. Read an attached file with read_table before you speak of it, and draw with draw_chart what the person wants to see. Never guess values. Answer briefly in Markdown. ${askForFollowUps}`,
    plugins: [followUps],
    tools: [readTableTool(options.sessions), drawChartTool(options.sessions)],
    compileMessages: withoutFiles,
  });
}
