import { AgentError } from './agent-error.ts';
import { reportThrown } from './listeners.ts';

/** The errors reported so far, because a page draws sixty times a second. */
const reported = new Set<string>();
const mostReported = 100;

/**
 * Wraps a selector so that it never throws: on an error it returns the value of `empty`, and reports the error once.
 * Selectors run while a page is drawn, where an error would remove the whole page.
 */
export function total<Args extends readonly unknown[], Value>(
  name: string,
  select: (...args: Args) => Value,
  empty: (...args: Args) => Value,
): (...args: Args) => Value {
  return (...args) => {
    try {
      return select(...args);
    } catch (thrown) {
      report(name, thrown);
      return empty(...args);
    }
  };
}

function report(name: string, cause: unknown): void {
  const what = cause instanceof Error ? cause.message : 'a value that is no Error was thrown';
  const key = `${name} ${what}`;
  if (reported.has(key) || reported.size >= mostReported) return;
  reported.add(key);
  const message = `The selector "${name}" failed, so its value is shown as empty: ${what}`;
  reportThrown(new AgentError('view-failed', message, { data: { name }, cause }));
}
