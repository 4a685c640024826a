import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { type RemoteAgentOptions, remoteAgent } from '@vitrine/ag-ui/internal/remote/remote-agent';
import type { RemoteState } from '@vitrine/ag-ui/internal/remote/remote-protocol';
import { openThreadRun, type Tips } from './thread-run.ts';

/** Options of `langGraphAgent`: the server, and those of `defineAgent` except its model client. */
export type LangGraphAgentOptions = RemoteAgentOptions & {
  /** The graph of the server that runs. Default: `agent`. */
  readonly assistantId?: string;
  /** The configuration of each run, e.g. `{ configurable: { model: 'small' } }`. */
  readonly config?: JsonObject;
};

/** The state of the plugin `langgraph`: the state that the server shares, its open questions, and unused events by name. */
export type LangGraphState = Pick<RemoteState, 'state' | 'interrupts' | 'skipped'>;

/**
 * An agent whose model is a LangGraph server with the Agent Streaming Protocol, for sessions, branches and the panel. Its
 * steps are steps of the run, and its tools appear as calls that ran elsewhere. Its interrupts wait for `approve` and
 * `reject`. A run goes on without the page, and is joined after a reload. What subagents say is counted and left out.
 * @throws AgentError `agent-invalid` as `defineAgent` does
 * @example
 * const agent = langGraphAgent({ url: 'http://localhost:2024' });
 */
export function langGraphAgent(options: LangGraphAgentOptions): AgentDefinition {
  const { assistantId = 'agent', config = {}, ...others } = options;
  const tips: Tips = new Map();
  return remoteAgent(
    {
      id: 'langgraph',
      name: 'the Agent Streaming Protocol',
      canJoin: true,
      open: (ask) => openThreadRun({ ...others, assistantId, config }, ask, tips),
    },
    others,
  );
}
