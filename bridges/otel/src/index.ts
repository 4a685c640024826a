export { traceSession, traceSessions } from './trace-session.ts';
export type { TraceSessionOptions } from './trace-session.ts';
export { tracedFetch } from './traced-fetch.ts';
