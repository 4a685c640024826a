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
