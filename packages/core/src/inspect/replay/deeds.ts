import type { AgentState } from '../../graph/types.ts';
import { equalJson } from '../../kit/equal-json.ts';
import type { JsonValue } from '../../kit/json.ts';
import { apply } from '../../run/apply.ts';
import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import { stateAt } from '../../run/state-at.ts';

/** The end of what may be done in another order: only behind it may what comes after it be done. */
export const barriers: ReadonlySet<string> = new Set([
  'step-start',
  'step-end',
  'inference-start',
  'inference-end',
  'execution-start',
  'execution-end',
]);

/** Whether a run waited for an answer, or had it just in time, is a matter of moments. */
export const soft: ReadonlySet<string> = new Set(['execution-pause', 'execution-resume', 'budget-wait']);

/** Names the agent that speaks, in keys. */
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

/** Signals and errors that an application put into the state name the execution, like those of hooks. */
export function isOfApplication(event: AgentChange): boolean {
  return (event.type === 'stop-signal' || event.type === 'error-record') && event.executionId !== undefined;
}

/** Of two hooks that did the same side by side, the later one may find it done. */
export function changesNothing(root: AgentState, event: AgentChange): boolean {
  const before = stateAt(root, event.path);
  if (before === null || !('source' in event) || event.type === 'continuation-request') return false;
  const after = apply(before, { ...event, path: [], seq: before.seq + 1 });
  const content = ({ context, plugins, llmConfig, execution }: AgentState): JsonValue =>
    ({ context, plugins, llmConfig, execution }) as unknown as JsonValue;
  return equalJson(content(before), content(after));
}

/** An event in a few words. */
export function describe(event: AgentEventBody): string {
  const source = 'source' in event && event.source !== null ? ` by ${event.source}` : '';
  const tool = 'toolName' in event && event.toolName !== undefined ? ` of ${event.toolName}` : '';
  return `${event.type}${tool}${source}`;
}
