import * as bridge from './observe-ag-ui.ts';
import type { WatchableAgent } from './observe-ag-ui.ts';

export type { WatchableAgent } from './observe-ag-ui.ts';

declare const process: { env: { NODE_ENV?: string } };

/**
 * Watches an AG-UI agent in the panel, each of its threads as a session, and returns the agent. In production it does
 * nothing else, and the bundle contains nothing of the bridge.
 * The panel calls it by `name` (default: the id of the agent, else `agent`).
 * @example
 * const agent = observeAgUi(new HttpAgent({ url: '/api/agent' }));
 */
export const observeAgUi: <Agent extends WatchableAgent>(
  agent: Agent,
  options?: { readonly name?: string },
) => Agent = process.env.NODE_ENV === 'production' ? (agent) => agent : bridge.observeAgUi;
