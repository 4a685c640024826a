import { type AgentDefinition, systemEnv } from '@vitrine/react';
import type { MenuEntry, Menus } from '@vitrine/react/components';
import type { AgentCard } from './agent-cards.ts';

/** Prompts to begin a message with. */
const prompts: Readonly<Record<AgentCard['id'], readonly MenuEntry[]>> = {
  assistant: [
    { label: 'calculate', description: 'Asks for a result', insert: 'What is' },
    { label: 'remember', description: 'Keeps a note in this session', insert: 'Remember that' },
    { label: 'notes', description: 'Asks for the notes of this session', insert: 'Show my notes' },
  ],
  'data-agent': [
    { label: 'draw', description: 'Draws the attached table', insert: 'Draw the' },
    { label: 'compare', description: 'Compares two columns of it', insert: 'Compare the' },
  ],
  researcher: [
    { label: 'research', description: 'Lets two subagents read the guide', insert: 'Research how' },
  ],
};

type MenusOptions = {
  readonly card: AgentCard;
  readonly agent: AgentDefinition;
  readonly onOpen: (sessionId: string, isNew: boolean) => void;
  readonly onSettings: (isOpen: boolean) => void;
};

/**
 * The menus of the message box: `/` has commands of the page and prompts for the agent, `@` the tools that a message can
 * name, and the pages of the guide for the agent that reads it.
 */
export function createMenus({ card, agent, onOpen, onSettings }: MenusOptions): Menus {
  const tools = [...agent.tools, ...agent.plugins.flatMap((plugin) => plugin.tools)];
  const subagents = agent.subagents.map((subagent) => subagent.agent);
  const named = [...tools, ...subagents].map(({ name, description }) => ({ label: name, description }));
  return {
    '/': [
      ...prompts[card.id],
      { label: 'new', description: 'Begins a session', onChoose: () => onOpen(systemEnv.id(), true) },
      { label: 'settings', description: 'Opens model, limits and data', onChoose: () => onSettings(true) },
    ],
    '@': async (query) => {
      const pages = card.id === 'researcher' ? await pagesOfGuide() : [];
      const isMeant = ({ label }: MenuEntry): boolean => label.includes(query.toLowerCase());
      return [...named, ...pages].filter(isMeant);
    },
  };
}

async function pagesOfGuide(): Promise<readonly MenuEntry[]> {
  const { guidePages } = await import('./researcher/guide-pages.ts');
  return [...guidePages.keys()].map((label) => ({ label, description: 'A page of the guide' }));
}
