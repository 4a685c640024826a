import { equalJson } from '@vitrine/core/internal/kit/json';
import { cutText, textOf, textOrNull } from '@vitrine/core/internal/kit/text';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import { type Foreign, foreign } from '@vitrine/inspect/internal/foreign/foreign-values';

/** A call without a result. */
export type OpenCall = {
  readonly name: string;
  readonly input: unknown;
  /** The place where it runs; null before it does. */
  readonly place: string | null;
  /** The subagent that made it, where subagents are told; null for the agent itself. */
  readonly owner: string | null;
};

/** An interrupt of a graph. */
export type ThreadInterrupt = { readonly id: string; readonly payload: unknown; readonly place: string };

/**
 * The questions of an interrupt, with the calls that they are about as far as that is certain. Those are taken out of
 * `calls`. `isAlone` tells that no other interrupt waits.
 */
export function questionsOf(
  { id, payload, place }: ThreadInterrupt,
  calls: Map<string, OpenCall>,
  isAlone: boolean,
): readonly Foreign[] {
  const { requests, form } = requestsIn(payload);
  const asked = requests.map((asks) => takeAsked(calls, asks));
  if (asked.length > 0 && !asked.includes(null))
    return asked.map((toolCallId, index) => {
      const message = textOrNull(requests[index]?.['description']);
      return { id, message, toolCallId, form };
    });
  const here = [...calls].filter(([, call]) => call.place?.startsWith(place));
  const [toolCallId = null] = here.length === 1 && isAlone ? (here[0] ?? []) : [];
  return [{ id, message: questionIn(payload), ...(toolCallId === null ? { payload } : { toolCallId }) }];
}

/** Takes the call that a request is about: the only one of its name, or the first with its arguments too. */
function takeAsked(calls: Map<string, OpenCall>, { name, action, args }: Foreign): string | null {
  const named = [...calls].filter(([, call]) => call.name === (textOf(name) || textOf(action)));
  const same = named.find(([, { input }]) => equalJson(toJson(input), toJson(args)));
  const [id = null] = same ?? (named.length === 1 ? (named[0] ?? []) : []);
  if (id !== null) calls.delete(id);
  return id;
}

/** The calls that an interrupt of the human-in-the-loop middleware asks about, and the form of its answer. */
function requestsIn(payload: unknown): { readonly requests: readonly Foreign[]; readonly form: string } {
  const { action_requests: inPython, actionRequests: inJavaScript } = foreign(payload);
  const given = inPython ?? inJavaScript;
  return {
    requests: Array.isArray(given) ? given.map(foreign) : [],
    form: inPython === undefined ? 'editedAction' : 'edited_action',
  };
}

/** The question of an interrupt to the person. */
function questionIn(payload: unknown): string {
  if (typeof payload === 'string') return cutText(payload, 4_000);
  const fields = foreign(payload);
  const said = [fields['question'], fields['message'], fields['description']].map(textOf).find(Boolean);
  return cutText(said ?? JSON.stringify(payload ?? null), 4_000);
}
