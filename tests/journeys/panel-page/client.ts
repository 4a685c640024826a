import { type AgentSession, createAgentSession, defineAgent } from '@vitrine/core';
import {
  broadcastChannel,
  localChannel,
  shareSessions,
  watchSessions,
  windowChannel,
} from '@vitrine/inspect';
import { fakeTool, scriptedInference, type ScriptedEntry } from '@vitrine/testing';
import { definePanelTab, mountAgentDevtools } from '@vitrine/devtools';
import { bugs } from './bugs.ts';
import { manyNames, manySteps, oddValues, threeLevels } from './many-steps.ts';
import { planted } from './planted.ts';
import { installFakeExtension } from './fake-extension.ts';
import { observed } from './observed.ts';

/** The requests of a test to the page. */
const page = {
  mount: (options: object = {}) =>
    mountAgentDevtools(document.body, { initialIsOpen: true, position: 'right', ...options }),
  /** The panel with a tab of the application that throws. */
  mountWithFaultyTab(): void {
    const View = (): never => {
      throw new Error('So it goes');
    };
    page.mount({ tabs: [definePanelTab({ id: 'bad', label: 'Bad', View })] });
  },
  extension: installFakeExtension,
  observed,
  bugs,
  planted,
  manySteps,
  manyNames,
  threeLevels,
  oddValues,
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
  /** Runs the faulty agent of an id, with secrets in all that it has. */
  async fault(id: string): Promise<AgentSession> {
    // Loaded here, because their schemas try to compile themselves, which a strict page does not allow.
    const [{ faultyAgents }, { runWithSecrets }] = await Promise.all([
      import('../../../apps/demo/src/faults/faulty-agents.ts'),
      import('../../faults/secret-run.ts'),
    ]);
    const faulty = faultyAgents.find((entry) => entry.id === id);
    if (faulty === undefined) throw new Error(`There is no faulty agent ${id}.`);
    return runWithSecrets(faulty);
  },
  /** Two pages that share their sessions, and show those of the other. */
  broadcastChannel,
  windowChannel,
  localChannel,
  shareSessions,
  watchSessions,
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
