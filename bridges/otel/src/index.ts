export { answerAttributes, modelCallAttributes, modelSpanName } from './conventions.ts';
export type { GenAiConventions, TracedCall } from './conventions.ts';
export { traceSession, traceSessions } from './trace-session.ts';
export type { TraceSessionOptions } from './trace-session.ts';
export { tracedFetch } from './traced-fetch.ts';
