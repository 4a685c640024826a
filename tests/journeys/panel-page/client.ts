import { type AgentSession, createAgentSession, defineAgent } from '@vitrine/core';
import { fakeTool, scriptedInference, type ScriptedEntry } from '@vitrine/core/testing';
import { mountAgentDevtools } from '@vitrine/devtools';
import { bugs } from './bugs.ts';

/** What a test asks of the page. */
const page = {
  mount: (options: object = {}) =>
    mountAgentDevtools(document.body, { initialIsOpen: true, position: 'right', ...options }),
  bugs,
  /** Agents that come and go. */
  agents: new Map<string, AgentSession>(),
  async add(name: string): Promise<void> {
    const session = sessionOf(name, [{ text: `I am ${name}.` }]);
    page.agents.set(name, session);
    await session.sendMessage('Who are you?');
  },
  async remove(name: string): Promise<void> {
    await page.agents.get(name)?.dispose();
    page.agents.delete(name);
  },
  session: sessionOf,
};

function sessionOf(name: string, script: readonly ScriptedEntry[]): AgentSession {
  return createAgentSession({
    agent: defineAgent({
      name,
      systemPrompt: 'Be kind.',
      tools: [fakeTool('look', { found: 'nothing' })],
      inference: scriptedInference(script),
    }),
  });
}

export type PanelPage = typeof page;
Object.assign(globalThis, { panelPage: page });
document.documentElement.dataset['ready'] = 'yes';
