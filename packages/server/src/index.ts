export type {
  CommandAnswer,
  EpochStart,
  HostedCommand,
  Lease,
  PendingCommand,
  RunSession,
  SessionAddress,
  SessionBus,
  SessionHost,
} from './host/session-host.ts';
export { type AgentServer, type AgentServerOptions, createAgentServer } from './create-agent-server.ts';
export type { Access, CommandLimits } from './routes/asked-session.ts';
export type { OwnerLimits } from './host/owner-limits.ts';
export type { OnWaiting } from './run/waiting-calls.ts';
