import type { AgentDefinition } from '@vitrine/react';
import type { ToolView } from '@vitrine/react/components';
import type { AgentOptions } from './agent-options.ts';
import { createAssistant } from './assistant/assistant.ts';
import { chartView } from './data/chart-view.tsx';
import { createDataAgent } from './data/data-agent.ts';
import { sampleTable } from './data/sample-table.ts';
import { reportView } from './researcher/report-view.tsx';
import { createResearcher } from './researcher/researcher.ts';

/** What a person may begin with. */
export type Example = { readonly text: string; readonly file?: () => File };

/** An agent that can be chosen. Its id is its name, and kept with its sessions. */
export type AgentCard = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly examples: readonly Example[];
  readonly create: (options: AgentOptions) => AgentDefinition;
};

const assistant: AgentCard = {
  id: 'assistant',
  name: 'Assistant',
  about: 'Calculates, keeps notes, tells the time',
  examples: [
    { text: 'What is 12 * (3 + 4)?' },
    { text: 'Remember that the demo is on Friday' },
    { text: 'Show me some markdown' },
    { text: 'Write a long answer' },
  ],
  create: createAssistant,
};

/** All of them; the first is taken where none was chosen. */
export const agentCards: readonly AgentCard[] = [
  assistant,
  {
    id: 'data-agent',
    name: 'Data agent',
    about: 'Draws a CSV file that you drop here; it stays in your browser',
    examples: [
      { text: 'Draw the revenue by month', file: sampleTable },
      { text: 'Compare the orders by region', file: sampleTable },
    ],
    create: createDataAgent,
  },
  {
    id: 'researcher',
    name: 'Researcher',
    about: 'Has two others read the guide of Vitrine side by side, and writes a report',
    examples: [{ text: 'Research how budgets work' }, { text: 'Research what happens with two tabs' }],
    create: createResearcher,
  },
];

/** The agent of an id; the first for one that there is not. */
export function agentCard(id: string | null): AgentCard {
  return agentCards.find((card) => card.id === id) ?? assistant;
}

/** The interfaces of their tools. */
export const toolViews: readonly ToolView[] = [chartView, reportView];
