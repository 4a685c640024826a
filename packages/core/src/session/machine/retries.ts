import type { AgentEvent, AgentEventType } from '../../run/events.ts';
import type { Retrying } from './session-model.ts';

/** Events that end the retries of a model call. */
const ending: ReadonlySet<AgentEventType> = new Set<AgentEventType>([
  'inference-start',
  'inference-end',
  'step-end',
  'execution-pause',
  'execution-end',
]);

/** The model calls that are being retried, after an event. Returns the same list when nothing changed. */
export function retriesAfter(retrying: readonly Retrying[], event: AgentEvent): readonly Retrying[] {
  const path = event.path.map((id) => `/${id}`).join('');
  if (event.type === 'inference-retry') {
    const { attempt, at, delayMs } = event;
    const next: Retrying = { path, attempt: attempt + 1, until: at + delayMs };
    return [...retrying.filter((entry) => entry.path !== path), next];
  }
  if (retrying.length === 0 || !ending.has(event.type)) return retrying;
  const kept = retrying.filter((entry) => entry.path !== path);
  return kept.length === retrying.length ? retrying : kept;
}
