import { messages, metadata, pendingApprovals } from '../../graph/agent-state/accessors.ts';
import { withMetadata } from '../../graph/agent-state/transitions.ts';
import type { AgentState } from '../../graph/types.ts';
import { isPlainObject, type JsonObject } from '../../kit/json.ts';
import { textOf } from '../../kit/text.ts';
import type { AgentSession, QueuedMessage } from '../../session/agent-session.ts';
import { clientIdKey } from './client-messages.ts';
import { type RunInput, runKey, sentIn } from './run-plan.ts';
import type { RunFacts } from './told-run.ts';

/** The key of the metadata of a session with the last runs of its clients, which another process can go on with. */
const runsKey = 'agUiRuns';

/** The key of the metadata of a session with its thread: the first that asked. */
export const threadKey = 'agUiThread';

/** The thread that a session keeps; null before the first. */
export function threadIn({ store }: AgentSession): string | null {
  const thread = metadata(store.getState().state)[threadKey];
  return typeof thread === 'string' ? thread : null;
}

/** Most runs that are named, and most characters of the names of one. */
const most = { runs: 8, length: 4_000 };

/** The names of a run. Null when they are too long: then it is known in this process only. */
export function nameOf(
  state: AgentState,
  key: string,
  { ids, messages: given }: RunInput,
): JsonObject | null {
  const asked = new Set(
    pendingApprovals(state).flatMap(({ id, status }) => (status === 'awaiting-output' ? [id] : [])),
  );
  const results = given.filter(({ role, toolCallId }) => role === 'tool' && asked.has(textOf(toolCallId)));
  const run: JsonObject = {
    ...ids,
    key,
    sent: sentIn(given).map(({ id }) => textOf(id)),
    results: Object.fromEntries(results.map(({ toolCallId, id }) => [textOf(toolCallId), textOf(id)])),
  };
  return JSON.stringify(run).length > most.length ? null : run;
}

/** The state with the names of a run. */
export function withNamedRun(state: AgentState, key: string, input: RunInput): AgentState {
  const run = nameOf(state, key, input);
  return run === null ? state : withMetadata(state, { [runsKey]: [...runsIn(state), run].slice(-most.runs) });
}

/** The run of a key; null for an unknown one, and when a message that it sent is not in the session. */
export function namedRun(
  state: AgentState,
  key: string,
  queue: readonly QueuedMessage[],
): Pick<RunFacts, 'ids' | 'sent' | 'results'> | null {
  const told = [...messages(state), ...queue];
  const named = told.map(({ metadata: own }) => own?.[runKey]).filter(isPlainObject) as JsonObject[];
  const run = [...runsIn(state), ...named].find((one) => one['key'] === key);
  if (run === undefined) return null;
  const { threadId, runId, protocolVersion } = run;
  const sent = Array.isArray(run['sent']) ? run['sent'].map(textOf) : [];
  const results = isPlainObject(run['results']) ? Object.entries(run['results']) : [];
  const known = new Set<unknown>(told.flatMap(({ id, metadata: own }) => [id, own?.[clientIdKey]]));
  if (!sent.every((id) => known.has(id))) return null;
  return {
    ids: {
      threadId: textOf(threadId),
      runId: textOf(runId),
      ...(typeof protocolVersion === 'string' ? { protocolVersion } : {}),
    },
    sent,
    results: new Map(results.map(([id, given]) => [id, textOf(given)])),
  };
}

function runsIn(state: AgentState): readonly JsonObject[] {
  const runs = metadata(state)[runsKey];
  return Array.isArray(runs) ? (runs.filter(isPlainObject) as readonly JsonObject[]) : [];
}
