export {
  type BodyRules,
  guardedRoutes,
  type GuardedRequest,
  type GuardedRoutes,
  type GuardedRoutesOptions,
} from './guarded-routes.ts';
export { type AnswerLimits, type GuardedCalls, guardedCalls } from './guarded-calls.ts';
export { causeOf } from './kit/cause-of.ts';
export { entryRecorder } from './operator/request-line.ts';
export type { QuotaOptions } from './guard/quotas.ts';
export { type Problem, problemOf } from './guard/problems.ts';
