export { createInferenceProxy } from './create-inference-proxy.ts';
export { hostsFromEnv } from './guard/hosts.ts';
export type { RequestLimits } from './guard/limits.ts';
export { optionsFromEnv } from './guard/options-from-env.ts';
export type { Authorize, GuardOptions, Principal } from './guard/guard.ts';
export type { Limiter, LimiterState, Quota } from './guard/limiter.ts';
export type { QuotaOptions } from './guard/quotas.ts';
export type { ResolveHost } from './guard/file-urls.ts';
export { upstreamFetch } from './providers/upstream-fetch.ts';
export type { CloseOptions, InferenceProxy, InferenceProxyOptions } from './inference-proxy.ts';
export type { MetricsSource, ProxyLogEntry } from './operator/request-line.ts';
export type { EnvRecord } from './kit/env-record.ts';
export { checkProviders } from './providers/check-providers.ts';
export { modelsFromEnv, type ModelsFromEnvOptions } from './providers/models-from-env.ts';
export type { ProxyModel, ReasoningLevel } from './providers/proxy-model.ts';
export { createSessionRoutes } from './sessions/create-session-routes.ts';
export type {
  HeadsPage,
  NamedRows,
  OwnerLimits,
  RowPages,
  ServerRows,
  SessionCursor,
  SessionPage,
} from './sessions/row-pages.ts';
export type { ServerSessions } from './sessions/server-sessions.ts';
export type {
  SessionLimits,
  SessionRoutes,
  SessionRoutesOptions,
} from './sessions/session-routes-options.ts';
export { memoryStreamLog } from './stream/memory-stream-log.ts';
export type { StreamLimits } from './stream/stream-limits.ts';
export type {
  StreamEntry,
  StreamHead,
  StreamHint,
  StreamLog,
  StreamLogLimits,
  StreamPage,
} from './stream/stream-log.ts';
export type { StreamReport } from './stream/stream-report.ts';
// Types of a server that is mounted beside the proxy; compilers write them.
export type { AnswerLimits } from './guarded-calls.ts';
export type { BodyRules, GuardedRequest, GuardedRoutes, GuardedRoutesOptions } from './guarded-routes.ts';
export type { Problem } from './guard/problems.ts';
