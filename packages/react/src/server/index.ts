export { agentServer, type AgentServerClient } from './agent-server.ts';
export type { AgentServerClientOptions, ServedAgent } from './server-requests.ts';
