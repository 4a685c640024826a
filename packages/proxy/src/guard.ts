export {
  type BodyRules,
  guardedRoutes,
  type GuardedRequest,
  type GuardedRoutes,
  type GuardedRoutesOptions,
} from './guarded-routes.ts';
export { entryRecorder } from './operator/request-line.ts';
export type { Problem } from './guard/problems.ts';
