export { agentServer, type AgentServerClient } from './agent-server.ts';
export type { AgentServerClientOptions } from './server-requests.ts';
