import type { AgentState } from '../../graph/types.ts';
import { equalJson, type JsonValue } from '../../kit/json.ts';
import { apply } from '../../run/apply.ts';
import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import { stateAt } from '../../run/state-at.ts';

/** Event types that separate groups: events before one may change their order, but not cross it. */
export const barriers: ReadonlySet<string> = new Set([
  'step-start',
  'step-end',
  'inference-start',
  'inference-end',
  'execution-start',
  'execution-end',
]);

/** Event types that depend on timing: whether a run waited for an answer, or had it just in time. */
export const soft: ReadonlySet<string> = new Set(['execution-pause', 'execution-resume', 'budget-wait']);

/** The agent of an event, as a key. */
export function agentOf({ path }: AgentChange): string {
  return path.join('/');
}

/** The indexes of each agent's events. */
export function indexesByAgent(events: readonly AgentChange[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [index, { path }] of events.entries()) {
    const agent = path.join('/');
    const own = found.get(agent);
    if (own) own.push(index);
    else found.set(agent, [index]);
  }
  return found;
}

/** True for a recording that ends in the middle of a run. */
export function isCut({ execution }: AgentState): boolean {
  return execution?.status === 'in-progress' && execution.waitingSince === null;
}

/** True for signals and errors of an application, which name the execution like those of hooks. */
export function isOfApplication(event: AgentChange): boolean {
  return (event.type === 'stop-signal' || event.type === 'error-record') && event.executionId !== undefined;
}

/** True when an event would change nothing. Of two hooks with the same change, the later one finds it done. */
export function changesNothing(root: AgentState, event: AgentChange): boolean {
  const before = stateAt(root, event.path);
  if (before === null || !('source' in event) || event.type === 'continuation-request') return false;
  const after = apply(before, { ...event, path: [], seq: before.seq + 1 });
  const content = ({ context, plugins, llmConfig, execution }: AgentState): JsonValue =>
    ({ context, plugins, llmConfig, execution }) as unknown as JsonValue;
  return equalJson(content(before), content(after));
}

/** The hook, tool or plugin that an event names as its author. */
export function sourceOf(event: AgentEventBody): string | null {
  return 'source' in event ? event.source : null;
}

/** A short description of an event. */
export function describe(event: AgentEventBody): string {
  const source = sourceOf(event) === null ? '' : ` by ${sourceOf(event)}`;
  const tool = 'toolName' in event && event.toolName !== undefined ? ` of ${event.toolName}` : '';
  return `${event.type}${tool}${source}`;
}
