// The entry `@vitrine/langgraph`: a LangGraph server as the model of an agent.
export { langGraphAgent, type LangGraphAgentOptions, type LangGraphState } from './langgraph-agent.ts';
export { runFilter } from './run-filter.ts';
export type { RunPlace } from './run-filter.ts';
