import { type AgentDefinition, defineAgent, type SessionStore } from '@vitrine/react';
import type { ToolView } from '@vitrine/react/components';
import { useEffect, useMemo, useState } from 'react';
import type { AgentCard } from '../agents/agent-cards.ts';
import { type AgentOptions, inference } from '../agents/agent-options.ts';
import { markdownSettled } from '../chat/lazy-markdown.tsx';
import { afterBox } from './after-box.ts';

type Agents = typeof import('../agents/agents.ts');

// Tools with their schemas: the page can be written in before they are here.
const loading = afterBox(() => import('../agents/agents.ts'));
loading.catch(() => undefined);
let agents: Agents | null = null;

let tell = (): void => undefined;
const isInPlace = new Promise<void>((resolve) => {
  tell = resolve;
});

/** The store, whose sessions are opened once there are agents: what is sent before waits, and is answered by a whole one. */
export function openedWithAgents(store: SessionStore): SessionStore {
  return {
    ...store,
    get durability() {
      return store.durability;
    },
    async load(id) {
      const [record] = await Promise.all([store.load(id), loading.then(() => isInPlace)]);
      // What is stored is drawn once: as text first, and as Markdown a moment later, it would jump.
      if (record !== null) await markdownSettled;
      return record;
    },
  };
}

/** The agent of a card, and the interfaces of its tools; until they are there one that has its name, and nothing to do. */
export function useWholeAgent(
  { id }: AgentCard,
  options: AgentOptions,
): { readonly agent: AgentDefinition; readonly views: readonly ToolView[] } {
  const [known, setKnown] = useState(agents);
  useEffect(() => {
    if (known !== null) return tell();
    // Those who wait for it are told that it has not come.
    loading.then(
      (loaded) => setKnown((agents = loaded)),
      () => undefined,
    );
  }, [known]);
  const { model, reasoning, limits, prices, sessions } = options;
  const agent = useMemo(
    () =>
      known === null
        ? defineAgent({ name: id, systemPrompt: '', inference })
        : known.createAgent[id]({ model, reasoning, limits, prices, sessions }),
    [known, id, model, reasoning, limits, prices, sessions],
  );
  return { agent, views: known?.toolViews ?? none };
}

const none: readonly ToolView[] = [];
