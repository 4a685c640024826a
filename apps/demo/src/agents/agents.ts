import type { AgentDefinition } from '@vitrine/react';
import type { ToolView } from '@vitrine/react/components';
import type { AgentCard } from './agent-cards.ts';
import type { AgentOptions } from './agent-options.ts';
import { createAssistant } from './assistant/assistant.ts';
import { chartView } from './data/chart-view.tsx';
import { createDataAgent } from './data/data-agent.ts';
import { reportView } from './researcher/report-view.tsx';
import { createResearcher } from './researcher/researcher.ts';
import '../styles/tools.css';

export { createMenus } from './menus.ts';

/** Creates the agent of each card. */
export const createAgent: Readonly<Record<AgentCard['id'], (options: AgentOptions) => AgentDefinition>> = {
  assistant: createAssistant,
  'data-agent': createDataAgent,
  researcher: (options) =>
    createResearcher({
      ...options,
      readGuide: async () => (await import('./researcher/guide-pages.ts')).guidePages,
    }),
};

/** The custom interfaces of their tools. */
export const toolViews: readonly ToolView[] = [chartView, reportView];
