import type { Env } from '../env/env.ts';
import { memoize } from '../env/memoize.ts';
import type { Plugin } from '../plugins/plugin.ts';
import { messages } from '../state/accessors.ts';
import { withMessages } from '../state/context-transitions.ts';
import type { AgentState, PluginStates } from '../state/types.ts';

const none: readonly string[] = [];
const transientIds = memoize((plugins: readonly Plugin[]): readonly string[] => {
  const ids = plugins.filter((plugin) => plugin.persist === 'none').map((plugin) => plugin.id);
  return ids.length === 0 ? none : ids;
});
const stripped = new WeakMap<AgentState, AgentState>();

/** The state as it is saved: without the state of plugins that keep theirs for this page only. */
export function withoutTransientPlugins(state: AgentState, plugins: readonly Plugin[]): AgentState {
  const ids = transientIds(plugins);
  if (!ids.some((id) => id in state.plugins)) return state;
  const known = stripped.get(state);
  if (known) return known;
  const kept: PluginStates = Object.fromEntries(
    Object.entries(state.plugins).filter(([id]) => !ids.includes(id)),
  );
  const next = { ...state, plugins: kept };
  stripped.set(state, next);
  return next;
}

/** Drops an answer that broke off, because the same question is about to be answered again. */
export function withoutIncompleteAnswer(state: AgentState, env: Env): AgentState {
  const all = messages(state);
  const kept = all.filter((message) => message.metadata['incomplete'] !== true);
  return kept.length === all.length ? state : withMessages(state, kept, env);
}
