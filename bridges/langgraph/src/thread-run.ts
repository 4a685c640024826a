import type { Message } from '@vitrine/core/internal/graph/message';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { uuidV7 } from '@vitrine/core/internal/kit/ids';
import { isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import type { OpenedRun, RemoteAnswer, RemoteAsk } from '@vitrine/ag-ui/internal/remote/remote-protocol';
import {
  Lane,
  openRun,
  type RemoteEvent,
  type RemoteOptions,
} from '@vitrine/ag-ui/internal/remote/remote-run';
import { idsIn } from '@vitrine/ag-ui/internal/snapshot-messages';
import { runFilter } from './run-filter.ts';
import type { Foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { ThreadApi, type ThreadCommand } from './thread-api.ts';
import { ThreadEvents } from './thread-events.ts';
import { threadMessages, toNative } from './thread-messages.ts';

/** A server, and the graph of it that runs. */
export type ThreadOptions = RemoteOptions & { readonly assistantId: string; readonly config: JsonObject };

/** The place where a conversation goes on, kept with its state. */
type Place = {
  readonly threadId: string;
  /** The checkpoint with which its last run ended; null when the server told none. */
  readonly checkpoint: string | null;
  /** The last message before that run. */
  readonly known: string;
  readonly left: readonly string[];
  /** The number of its last event. */
  readonly seq: number;
  /** True when a run was begun at a checkpoint of the thread, which the server then keeps for runs that name none. */
  readonly isForked?: boolean;
  /** The run that goes on over several steps of an execution; null between runs. */
  readonly open: OpenPlace | null;
};

type OpenPlace = {
  readonly executionId: string;
  readonly threadId: string;
  readonly seq: number;
  /** Calls of the run before, which go on in this one. */
  readonly awaited: readonly string[];
};

const nowhere: Place = { threadId: '', checkpoint: null, known: '', left: [], seq: 0, open: null };

/** The checkpoints of threads whose last run was one of this process, so that nobody has to ask for them. */
export type Tips = Map<string, string | null>;

const mostTips = 1_000;

type Plan = {
  readonly threadId: string;
  /** Null for a run that goes on already. */
  readonly command: ThreadCommand | null;
  /** True for a command that names a checkpoint. */
  readonly isFork?: boolean;
  /** The number of the event behind which the run is told. */
  readonly since: number;
  /** True when events of another run may come before it. */
  readonly isBehindOther?: boolean;
};

/** Asks a thread for a run, or joins the one that goes on. */
export function openThreadRun(options: ThreadOptions, ask: RemoteAsk, tips: Tips): OpenedRun {
  const before = placeIn(ask.place) ?? nowhere;
  const awaited = [
    ...ask.answers.map(({ question }) => question.toolCallId),
    ...(before.open?.executionId === ask.executionId ? before.open.awaited : []),
  ];
  const known = idsIn(toNative(ask.messages));
  let threadId = '';
  let runId = '';
  let seq = 0;
  /** The number of the last event that was taken. */
  let taken = 0;
  let isOver = false;
  let isForked = before.isForked === true;
  /** The place behind the run; it holds as soon as its last event is taken. */
  let end: Place | null = null;
  let isTaken = false;

  async function read(take: (event: RemoteEvent) => void, signal: AbortSignal): Promise<void> {
    const api = new ThreadApi(options, signal);
    const plan = await planOf(api, { options, ask, tips });
    ({ threadId, since: seq } = plan);
    isForked = plan.isFork === true || (isForked && threadId === before.threadId);
    taken = seq;
    tips.delete(threadId);
    let answeredAt: number | null = null;
    if (plan.command !== null) {
      const begun = await api.send(threadId, plan.command);
      ({ runId, seq: answeredAt } = begun);
      // A server that was started anew counts from the beginning.
      if (answeredAt !== null && answeredAt < seq) seq = 0;
    }
    const events = new ThreadEvents({ ...ask, awaited, known, isWatched: false });
    const ofRun = runFilter({ answeredAt, isBehindOther: plan.isBehindOther === true });
    const onEvent = (raw: Foreign): boolean => {
      const number = raw['seq'];
      if (typeof number === 'number' && number <= seq) return false;
      if (typeof number === 'number') seq = number;
      for (const one of ofRun(raw)) if (events.end === null) events.take(one).forEach(take);
      return events.end !== null;
    };
    await api.events(threadId, { since: () => seq, onEvent, onSkipped: ask.onSkipped });
    const how = events.end;
    if (how === null) return;
    isOver = true;
    const state = await api.state(threadId);
    const checkpoint = state?.checkpoint ?? null;
    if (tips.size >= mostTips) tips.clear();
    tips.set(threadId, checkpoint);
    const left = how.status === 'completed' ? events.openCalls : [];
    end = { threadId, checkpoint, known: ask.messages.at(-1)?.id ?? '', left, seq, isForked, open: null };
    events.finish(how, state?.error ?? '').forEach((event) => take({ from: seq, ...event, seq }));
  }

  const run = openRun(new Lane(), read);
  return {
    ...run,
    async next() {
      const event = await run.next();
      if (event === null) return null;
      taken = Number(event['seq']);
      isTaken = event.type === 'RUN_FINISHED';
      return event;
    },
    giveBack(event) {
      taken = Number(event['from']) - 1;
      run.giveBack(event);
    },
    place() {
      const open = { executionId: ask.executionId, threadId, seq: taken, awaited };
      return isTaken && end !== null
        ? end
        : { ...before, isForked: before.isForked === true || isForked, open };
    },
    cancel() {
      if (!isOver && threadId !== '') cancelRun(options, threadId, runId);
      isOver = true;
    },
  };
}

/** Ends a run at the server. */
function cancelRun(options: ThreadOptions, threadId: string, runId: string): void {
  const api = new ThreadApi(options, AbortSignal.timeout(10_000));
  // The person has stopped it, and a server that cannot lets it end by itself.
  api.cancel(threadId, runId).catch(() => undefined);
}

type Asked = { readonly options: ThreadOptions; readonly ask: RemoteAsk; readonly tips: Tips };

/**
 * A run goes on in the thread of its conversation. One that departs from an earlier message forks at its checkpoint; one
 * whose thread waits for a person begins a thread, because the server would take its messages for the answer.
 */
async function planOf(api: ThreadApi, asked: Asked): Promise<Plan> {
  const { ask, tips } = asked;
  const place = placeIn(ask.place);
  if (place?.open?.executionId === ask.executionId) return joinOf(api, place.open.threadId, place.open.seq);
  const isTip = place !== null && tips.get(place.threadId) === place.checkpoint;
  const isForked = place?.isForked === true;
  const answers = ask.answers.filter(({ decision }) => decision !== null);
  if (place !== null && answers.length > 0) {
    const { threadId, seq: since } = place;
    const state = isTip ? null : await api.state(threadId);
    const isAnswered =
      state !== null && !answers.some(({ question }) => state.interruptIds.includes(question.id));
    if (isAnswered) return joinOf(api, threadId, since);
    return { threadId, since, command: respond(answers, asked, isForked ? place.checkpoint : null) };
  }
  const fresh = ask.inferenceId ?? uuidV7();
  const sent = place === null || place.checkpoint === null ? null : newMessages(ask.messages, place);
  const own = sent === null ? null : place;
  const joined = ask.isAgain ? await joinedPlan(api, ask, own, fresh) : null;
  if (joined !== null) return joined;
  const anew = { threadId: fresh, command: start(ask.messages, asked), since: 0 };
  if (own === null || sent === null) return anew;
  const { threadId, checkpoint } = own;
  if (isTip && !isForked) return { threadId, command: start(sent, asked), since: own.seq };
  const command = start(sent, asked, checkpoint);
  if (isTip) return { threadId, command, since: own.seq, isFork: true };
  const state = await api.state(threadId);
  if (state === null || state.interruptIds.length > 0) return anew;
  const isBehindOther = !state.isOver;
  return { threadId, command, since: await api.lastSeq(threadId), isFork: true, isBehindOther };
}

/** The run that began before a reload, by the message with which it began; null for none. */
async function joinedPlan(
  api: ThreadApi,
  { messages }: RemoteAsk,
  own: Place | null,
  fresh: string,
): Promise<Plan | null> {
  const last = messages.at(-1)?.id;
  const places = [...(own === null ? [] : [own]), { threadId: fresh, seq: 0 }];
  for (const { threadId, seq: since } of places) {
    const state = await api.state(threadId);
    if (state?.messageIds.includes(last) === true) return joinOf(api, threadId, since);
  }
  return null;
}

/** Joins a run behind an event. @throws AgentError `stream-incomplete` when the server tells nothing more of it */
async function joinOf(api: ThreadApi, threadId: string, since: number): Promise<Plan> {
  const state = await api.state(threadId);
  const last = await api.lastSeq(threadId);
  if (state === null || (state.isOver && last <= since)) {
    const message = 'The run went on without the page, and its server no longer tells how. Ask again.';
    throw new AgentError('stream-incomplete', message);
  }
  // A server that was started anew counts from the beginning.
  return { threadId, command: null, since: last < since ? 0 : since };
}

function start(
  messages: readonly Message[],
  { options }: Asked,
  checkpoint: string | null = null,
): ThreadCommand {
  const { assistantId } = options;
  return {
    method: 'run.start',
    params: {
      assistant_id: assistantId,
      input: { messages: threadMessages(messages) },
      config: configAt(options, checkpoint),
    },
  };
}

/** The configuration of a run at a checkpoint, or at the end of its thread. */
function configAt({ config }: ThreadOptions, checkpoint: string | null): JsonObject {
  if (checkpoint === null) return config;
  const own = config['configurable'];
  const configurable = { ...(isPlainObject(own) ? (own as JsonObject) : {}), checkpoint_id: checkpoint };
  return { ...config, configurable };
}

function respond(
  answers: readonly RemoteAnswer[],
  { options }: Asked,
  checkpoint: string | null,
): ThreadCommand {
  const ids = [...new Set(answers.map(({ question }) => question.id))];
  const responses = ids.map((interrupt_id) => {
    const own = answers.filter(({ question }) => question.id === interrupt_id);
    return { namespace: [], interrupt_id, response: responseTo(own) };
  });
  return { method: 'input.respond', params: { responses, config: configAt(options, checkpoint) } };
}

/** The answer to an interrupt: the decisions about the calls that it lists, or the answer of the person itself. */
function responseTo(answers: readonly RemoteAnswer[]): JsonValue {
  const [first] = answers;
  if (first?.question.form !== undefined) return { decisions: answers.map(decisionOf) };
  if (first?.decision !== 'approved') return false;
  return first.isEdited ? first.call.input : true;
}

function decisionOf({ question, decision, comment, call, isEdited }: RemoteAnswer): JsonObject {
  if (decision === 'rejected') return { type: 'reject', ...(comment === null ? {} : { message: comment }) };
  if (!isEdited) return { type: 'approve' };
  return { type: 'edit', [question.form ?? '']: { name: call.name, args: call.input } };
}

/** The messages behind those that a thread knows; null when it knows others. */
function newMessages(messages: readonly Message[], { known, left }: Place): readonly Message[] | null {
  const at = messages.findIndex(({ id }) => id === known);
  if (at < 0) return null;
  const rest = messages.slice(at + 1);
  const next = rest.findIndex(({ role }) => role !== 'assistant' && role !== 'tool');
  const end = next < 0 ? rest.length : next;
  // Its run has told the answers itself, and waits for the results of the calls that were left to this side.
  const results = rest.slice(0, end).flatMap((message): readonly Message[] => {
    const parts = message.parts.filter(
      (part) => part.type === 'tool-result' && left.includes(part.toolCallId),
    );
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
  return [...results, ...rest.slice(end)];
}

/** The place in a stored state, which only this bridge writes. */
function placeIn(value: JsonValue | undefined): Place | null {
  return isPlainObject(value) ? (value as unknown as Place) : null;
}
