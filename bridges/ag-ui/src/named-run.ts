import { messages, metadata } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { isPlainObject, type JsonObject } from '@vitrine/core/internal/kit/json';
import { textOf } from '@vitrine/core/internal/kit/text';
import type { AgentSession, QueuedMessage } from '@vitrine/core/internal/session/agent-session';
import { resultIdOf } from './agent-writer.ts';
import { clientIdKey, type ResultIds } from './client-messages.ts';
import { resultsIn, type RunInput, runKey, sentIn } from './run-plan.ts';
import type { SharedRunFacts } from './shared-run.ts';

/** The key of the metadata of a session with the last runs of its clients, which another process can go on with. */
const runsKey = 'agUiRuns';

/** The key of the metadata of a session with its thread: the first that asked. */
export const threadKey = 'agUiThread';

/** The thread that a session keeps; null before the first. */
export function threadIn({ store }: AgentSession): string | null {
  const thread = metadata(store.getState().state)[threadKey];
  return typeof thread === 'string' ? thread : null;
}

/** Most runs that are named, and most characters and results of the names of one. */
const most = { runs: 8, length: 4_000, results: 40 };

/** The names of a run. Null when they are too long: then it is known in this process only. */
export function nameOf(
  state: AgentState,
  key: string,
  { ids, messages: theirs }: RunInput,
): JsonObject | null {
  // The client has results by the ids that it gave them for as long as it has the conversation.
  const known = resultsOf([...earlierRuns(state), ...begunBy(messages(state))]);
  const given = [...resultsIn(state, theirs)].filter(
    ([call, id]) => id !== resultIdOf(call) && known.get(call) !== id,
  );
  const run: JsonObject = {
    ...ids,
    key,
    sent: sentIn(theirs).map(({ id }) => textOf(id)),
    results: Object.fromEntries(given.slice(-most.results)),
  };
  return JSON.stringify(run).length > most.length ? null : run;
}

export function withNamedRun(state: AgentState, key: string, input: RunInput): AgentState {
  const run = nameOf(state, key, input);
  return run === null ? state : withMetadata(state, { [runsKey]: [...earlierRuns(state), run] });
}

function earlierRuns(state: AgentState): readonly JsonObject[] {
  return runsIn(state).slice(1 - most.runs);
}

/** The runs that messages begin, in a session that runs on a server. */
function begunBy(entries: readonly Pick<QueuedMessage, 'metadata'>[]): readonly JsonObject[] {
  return entries.map(({ metadata: own }) => own?.[runKey]).filter(isPlainObject) as JsonObject[];
}

/** The ids that clients gave to results, by the calls of the results. */
function resultsOf(runs: readonly JsonObject[]): ResultIds {
  const given = runs.flatMap(({ results }) => (isPlainObject(results) ? Object.entries(results) : []));
  return new Map(given.map(([call, id]) => [call, textOf(id)]));
}

/** The run of a key; null for an unknown one, and when a message that it sent is not in the session. */
export function namedRun(
  state: AgentState,
  key: string,
  queue: readonly QueuedMessage[],
): Pick<SharedRunFacts, 'ids' | 'sent' | 'results'> | null {
  const entries = [...messages(state), ...queue];
  const runs = [...runsIn(state), ...begunBy(entries)];
  const run = runs.find((one) => one['key'] === key);
  if (run === undefined) return null;
  const { threadId, runId, protocolVersion } = run;
  const sent = Array.isArray(run['sent']) ? run['sent'].map(textOf) : [];
  const known = new Set<unknown>(entries.flatMap(({ id, metadata: own }) => [id, own?.[clientIdKey]]));
  if (!sent.every((id) => known.has(id))) return null;
  return {
    ids: {
      threadId: textOf(threadId),
      runId: textOf(runId),
      ...(typeof protocolVersion === 'string' ? { protocolVersion } : {}),
    },
    sent,
    results: resultsOf(runs),
  };
}

function runsIn(state: AgentState): readonly JsonObject[] {
  const runs = metadata(state)[runsKey];
  return Array.isArray(runs) ? (runs.filter(isPlainObject) as readonly JsonObject[]) : [];
}
