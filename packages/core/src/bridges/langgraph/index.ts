// The entry `@vitrine/core/langgraph`: a LangGraph server as the model of an agent.
export { langGraphAgent, type LangGraphAgentOptions } from './langgraph-agent.ts';
export type { RemoteState as LangGraphState } from '../ag-ui/remote-protocol.ts';
export type { RemoteQuestion as LangGraphQuestion } from '../ag-ui/remote-step.ts';
