/** A prompt to begin with. */
export type Example = { readonly text: string; readonly file?: () => Promise<File> };

/**
 * An agent in the list of agents, without its code. Its id is its name, which is stored with its sessions.
 */
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

const sampleTable = async (): Promise<File> => (await import('./data/sample-table.ts')).sampleTable();

/** All agents; the first is the default. */
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
    about: 'Lets two subagents read the guide of Vitrine, and writes a report',
    examples: [{ text: 'Research how budgets work' }, { text: 'Research what happens with two tabs' }],
  },
];

/** Finds a card by id; the first one for an unknown id. */
export function agentCard(id: string | null): AgentCard {
  return agentCards.find((card) => card.id === id) ?? assistant;
}
