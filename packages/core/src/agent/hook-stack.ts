import type { Hook, HookPoint } from './hook.ts';

/** Hooks in the order in which they run. */
export type HookStack = readonly Hook[];

/** Sorts by priority, higher first; equal priorities keep their order. */
export function of(hooks: readonly Hook[]): HookStack {
  return [...hooks].sort((a, b) => b.priority - a.priority);
}

/** The hooks of one point, in order. */
export function at(stack: HookStack, point: HookPoint): HookStack {
  return stack.filter((hook) => hook.on.includes(point));
}
