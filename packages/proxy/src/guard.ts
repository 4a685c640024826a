export {
  type BodyRules,
  guardedRoutes,
  type GuardedRequest,
  type GuardedRoutes,
  type GuardedRoutesOptions,
} from './guarded-routes.ts';
export type { Problem } from './guard/problems.ts';
