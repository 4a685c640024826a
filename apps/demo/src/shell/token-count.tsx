import { AgentState, type SessionStore, useAgentState } from '@vitrine/react';
import { type ReactNode, useEffect, useState } from 'react';
import { storedTokens, type TokensByRun } from './stored-tokens.ts';

type TokenCountProps = { readonly sessions: SessionStore; readonly sessionId: string };

/** The tokens of all runs of the session, stored or seen on this page. */
export function TokenCount(props: TokenCountProps): ReactNode {
  const tokens = useTokens(props);
  const saved = useAgentState(savedShare);
  if (tokens === 0) return null;
  return (
    <span className="usage" title="Of all runs of this session">
      {tokens.toLocaleString('en')} tokens
      {saved > 0 && <span title="Of the last run">{`, ${saved} % of its input from the cache`}</span>}
    </span>
  );
}

/** The share of the run's input, subagents included, that its provider read from a cache, in percent. */
function savedShare(state: AgentState): number {
  const { inputTokens, cacheReadTokens } = AgentState.usage(state);
  return inputTokens === 0 ? 0 : Math.round((100 * cacheReadTokens) / inputTokens);
}

const nothing: TokensByRun = new Map();

/** Counts tokens by run, so that the sum never falls. */
function useTokens({ sessions, sessionId }: TokenCountProps): number {
  const run = useAgentState(({ execution }) => execution?.executionId ?? null);
  const tokens = useAgentState((state) => AgentState.usage(state).totalTokens);
  const [seen, setSeen] = useState(nothing);
  const [stored, setStored] = useState<TokensByRun | null>(null);
  if (run !== null && seen.get(run) !== tokens) setSeen(new Map([...seen, [run, tokens]]));
  useEffect(() => {
    let isShown = true;
    storedTokens(sessions, sessionId).then(
      (tokensByRun) => isShown && setStored(tokensByRun),
      // If reading fails, only the runs on this page are counted.
      () => isShown && setStored(nothing),
    );
    return () => {
      isShown = false;
    };
  }, [sessions, sessionId]);
  // Not a partial sum first.
  if (stored === null) return 0;
  return [...new Map([...stored, ...seen]).values()].reduce((sum, one) => sum + one, 0);
}
