import { AgentError } from '../../kit/agent-error.ts';
import type { JsonValue } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';

/** Where a replay first did something else than the recording. */
export type Divergence = {
  /** The step of the agent that speaks, counted from 1; null outside any step. */
  readonly stepNumber: number | null;
  /** The tool calls between the root and that agent; empty for the root. */
  readonly agent: readonly string[];
  /** What differs, in words: the prompt, the result of a hook. */
  readonly what: string;
  /** Where in it, e.g. `messages[2].parts[0].text`; empty for all of it. */
  readonly path: string;
  /** What was recorded there; null for nothing. */
  readonly recorded: JsonValue;
  /** What stands there now; null for nothing. */
  readonly now: JsonValue;
};

/** The difference as an error that names step and path. */
export function replayDiverged({ stepNumber, agent, what, path, recorded, now }: Divergence): AgentError {
  const where = stepNumber === null ? 'Outside any step' : `Step ${stepNumber}`;
  const whose = agent.length === 0 ? '' : ' of a subagent';
  const place = path === '' ? '' : ` at ${path}`;
  const message = `${where}${whose}: ${what} differs from the recording${place}: recorded ${shown(recorded)}, now ${shown(now)}.`;
  return new AgentError('replay-diverged', message, {
    data: { stepNumber, agent, what, path, recorded, now },
  });
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** The first place in which two JSON values differ; null when there is none. */
export function firstDifference(
  recorded: unknown,
  now: unknown,
): { readonly path: string; readonly recorded: JsonValue; readonly now: JsonValue } | null {
  const at = differing(recorded, now, '');
  return at === null ? null : { path: at.path, recorded: asJson(at.recorded), now: asJson(at.now) };
}

type Place = { readonly path: string; readonly recorded: unknown; readonly now: unknown };

function differing(recorded: unknown, now: unknown, path: string): Place | null {
  if (Object.is(recorded, now)) return null;
  if (!isContainer(recorded) || !isContainer(now) || Array.isArray(recorded) !== Array.isArray(now))
    return { path, recorded, now };
  const isList = Array.isArray(recorded);
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const next = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const found = differing(own(recorded, name), own(now, name), next);
    if (found !== null) return found;
  }
  return null;
}

function own(container: object, name: string): unknown {
  return Object.hasOwn(container, name) ? (container as Record<string, unknown>)[name] : undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function asJson(value: unknown): JsonValue {
  return value === undefined ? null : toJson(value);
}
