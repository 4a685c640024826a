import { type AgentDefinition, defineAgent, type SessionStore } from '@vitrine/react';
import type { ToolView } from '@vitrine/react/components';
import { useEffect, useMemo, useState } from 'react';
import type { AgentCard } from './agent-cards.ts';
import { type AgentOptions, pageInference } from './agent-options.ts';
import { afterBox } from '../kit/after-box.ts';

type Agents = typeof import('./agents.ts');

// The tools and their schemas load after the message box works.
const loading = afterBox(() => import('./agents.ts'));
loading.catch(() => undefined);
/** Settles when the renderer of answers has loaded or failed to load. */
const markdownSettled = afterBox(() => import('@vitrine/react/markdown')).catch(() => undefined);
let agents: Agents | null = null;

let markInPlace = (): void => undefined;
const isInPlace = new Promise<void>((resolve) => {
  markInPlace = resolve;
});

/**
 * Wraps a store so that sessions load only after the agents. Messages sent before that wait for the
 * complete agent.
 */
export function openedWithAgents(store: SessionStore): SessionStore {
  return {
    ...store,
    get durability() {
      return store.durability;
    },
    async load(id) {
      const [found] = await Promise.all([store.load(id), loading.then(() => isInPlace)]);
      // Stored messages wait for Markdown, because rendering them twice would make them jump.
      if (found.kind === 'there') await markdownSettled;
      return found;
    },
  };
}

/**
 * Returns the agent of a card, the interfaces of its tools, and what creates the menus of the message box. Until they have
 * loaded, an agent with the same name and no tools.
 */
export function useWholeAgent(
  { id }: AgentCard,
  options: AgentOptions,
): {
  readonly agent: AgentDefinition;
  readonly views: readonly ToolView[];
  readonly createMenus: Agents['createMenus'] | undefined;
} {
  const [known, setKnown] = useState(agents);
  useEffect(() => {
    if (known !== null) return markInPlace();
    // The loads that wait for it reject in that case.
    loading.then(
      (loaded) => setKnown((agents = loaded)),
      () => undefined,
    );
  }, [known]);
  const { model, reasoning, limits, prices, sessions } = options;
  const agent = useMemo(
    () =>
      known === null
        ? defineAgent({ name: id, systemPrompt: '', inference: pageInference })
        : known.createAgent[id]({ model, reasoning, limits, prices, sessions }),
    [known, id, model, reasoning, limits, prices, sessions],
  );
  return { agent, views: known?.toolViews ?? none, createMenus: known?.createMenus };
}

const none: readonly ToolView[] = [];
