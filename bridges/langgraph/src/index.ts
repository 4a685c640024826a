// The entry `@vitrine/langgraph`: a LangGraph server as the model of an agent.
export { langGraphAgent, type LangGraphAgentOptions, type LangGraphState } from './langgraph-agent.ts';
