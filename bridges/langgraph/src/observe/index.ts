import * as bridge from './observe-lang-graph.ts';
import type { ObserveOptions } from '@vitrine/inspect/internal/foreign/observations';
import type { WatchableAdapter } from './observe-lang-graph.ts';

export type { ObserveOptions } from '@vitrine/inspect/internal/foreign/observations';
export type { WatchableAdapter } from './observe-lang-graph.ts';

declare const process: { env: { NODE_ENV?: string } };

/**
 * Watches the threads of a LangGraph server in the panel: returns an adapter that does what the given one does. In
 * production it returns the given one, and the bundle contains nothing of the bridge.
 * @example
 * const transport = observeLangGraph(new HttpAgentServerAdapter({ apiUrl: 'http://localhost:2024' }));
 */
export const observeLangGraph: <Adapter extends WatchableAdapter>(
  adapter: Adapter,
  options?: ObserveOptions,
) => Adapter = process.env.NODE_ENV === 'production' ? (adapter) => adapter : bridge.observeLangGraph;
