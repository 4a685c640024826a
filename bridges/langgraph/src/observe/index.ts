import * as bridge from './observe-lang-graph.ts';
import type { WatchableAdapter } from './observe-lang-graph.ts';

export type { WatchableAdapter } from './observe-lang-graph.ts';

declare const process: { env: { NODE_ENV?: string } };

/**
 * Watches the threads of a LangGraph server in the panel: returns an adapter that does what the given one does. In
 * production it returns the given one, and the bundle contains nothing of the bridge.
 * The panel calls it by `name` (default: `agent`).
 * @example
 * const transport = observeLangGraph(new HttpAgentServerAdapter({ apiUrl: 'http://localhost:2024' }));
 */
export const observeLangGraph: <Adapter extends WatchableAdapter>(
  adapter: Adapter,
  options?: { readonly name?: string },
) => Adapter = process.env.NODE_ENV === 'production' ? (adapter) => adapter : bridge.observeLangGraph;
