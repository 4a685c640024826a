import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import { diffJson } from '../diff.ts';

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
  const message = `${where}${whose}: ${what} differs from the recording${place}: recorded ${showValue(recorded)}, now ${showValue(now)}.`;
  const hint =
    source !== null && hooks.has(source)
      ? ` If hook ${JSON.stringify(source)} calls a model or another service directly, that call was made again; a replay answers only calls through ctx.callModel.`
      : '';
  return new AgentError('replay-diverged', message + hint, {
    data: { stepNumber, agent, what, path, source, recorded, now },
  });
}

function showValue(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** The first difference between two JSON values; null when there is none. */
export function firstDifference(
  recorded: unknown,
  now: unknown,
): { readonly path: string; readonly recorded: JsonValue; readonly now: JsonValue } | null {
  const [first] = diffJson(recorded, now);
  if (first === undefined) return null;
  const path = first.path.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('');
  return { path: path.replace(/^\./, ''), recorded: asJson(first.before), now: asJson(first.after) };
}

function asJson(value: unknown): JsonValue {
  return value === undefined ? null : toJson(value);
}
