import { sampleTable } from './data/sample-table.ts';

/** What a person may begin with. */
export type Example = { readonly text: string; readonly file?: () => File };

/** An agent that can be chosen, as it is shown before it is there. Its id is its name, and kept with its sessions. */
export type AgentCard = {
  readonly id: 'assistant' | 'data-agent' | 'researcher';
  readonly name: string;
  readonly about: string;
  readonly examples: readonly Example[];
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
  },
  {
    id: 'researcher',
    name: 'Researcher',
    about: 'Has two others read the guide of Vitrine side by side, and writes a report',
    examples: [{ text: 'Research how budgets work' }, { text: 'Research what happens with two tabs' }],
  },
];

/** The card of an id; the first for one that there is not. */
export function agentCard(id: string | null): AgentCard {
  return agentCards.find((card) => card.id === id) ?? assistant;
}
