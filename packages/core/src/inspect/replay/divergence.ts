import { AgentError } from '../../kit/agent-error.ts';
import { type JsonValue, documentJson } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';

/** The first difference between a replay and its recording. */
export type Divergence = {
  /** The step of the event's agent, counted from 1; null outside any step. */
  readonly stepNumber: number | null;
  /** The tool calls between the root and that agent; empty for the root. */
  readonly agent: readonly string[];
  /** The differing thing in words: the prompt, the result of a hook. */
  readonly what: string;
  /** The path in it, e.g. `messages[2].parts[0].text`; empty for all of it. */
  readonly path: string;
  /** The hook, tool or plugin that caused it; null for none or an unknown one. */
  readonly source: string | null;
  /** The recorded value; null for none. */
  readonly recorded: JsonValue;
  /** The value now; null for none. */
  readonly now: JsonValue;
};

/** The difference as an error that names step and path. `hooks` are the names of those that ran. */
export function replayDiverged(
  { stepNumber, agent, what, path, source, recorded, now }: Divergence,
  hooks: ReadonlySet<string>,
): AgentError {
  const where = stepNumber === null ? 'Outside any step' : `Step ${stepNumber}`;
  const whose = agent.length === 0 ? '' : ' of a subagent';
  const place = path === '' ? '' : ` at ${path}`;
  const message = `${where}${whose}: ${what} differs from the recording${place}: recorded ${shown(recorded)}, now ${shown(now)}.`;
  const hint =
    source !== null && hooks.has(source)
      ? ` If hook ${JSON.stringify(source)} calls a model or another service directly, that call was made again; a replay answers only calls through ctx.callModel.`
      : '';
  return new AgentError('replay-diverged', message + hint, {
    data: { stepNumber, agent, what, path, source, recorded, now },
  });
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** The first difference between two JSON values; null when there is none. */
export function firstDifference(
  recorded: unknown,
  now: unknown,
): { readonly path: string; readonly recorded: JsonValue; readonly now: JsonValue } | null {
  const at = differing({ path: '', recorded, now }, 0);
  return at === null ? null : { path: at.path, recorded: asJson(at.recorded), now: asJson(at.now) };
}

type Place = { readonly path: string; readonly recorded: unknown; readonly now: unknown };

function differing(place: Place, depth: number): Place | null {
  const { path, recorded, now } = place;
  if (Object.is(recorded, now)) return null;
  if (!isContainer(recorded) || !isContainer(now) || Array.isArray(recorded) !== Array.isArray(now))
    return place;
  if (depth >= documentJson.depth) return place;
  const isList = Array.isArray(recorded);
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const next = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const below = { path: next, recorded: own(recorded, name), now: own(now, name) };
    const found = differing(below, depth + 1);
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
