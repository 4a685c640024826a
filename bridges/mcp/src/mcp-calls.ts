import type { Client, ElicitRequest, ElicitResult, Progress } from '@modelcontextprotocol/client';
import { defineHook, type Hook } from '@vitrine/core/internal/agent/hook';
import type { ToolContext } from '@vitrine/core/internal/agent/tool';
import { answerTo, ToolQuestion } from '@vitrine/core/internal/agent/tool-question';
import { shortMessageOf } from '@vitrine/core/internal/features/foreign-tools';
import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import { isFinished } from '@vitrine/core/internal/graph/tool-execution';
import { AgentError, isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { longestTimerMs } from '@vitrine/core/internal/kit/async';
import { createDeferred, type Deferred } from '@vitrine/core/internal/kit/deferred';
import { isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { cutText } from '@vitrine/core/internal/kit/text';
import { toJsonObject } from '@vitrine/core/internal/kit/to-json';
import { signInSentence, wantsSignIn } from './sign-in.ts';

export type RequestOptions = NonNullable<Parameters<Client['callTool']>[1]>;

/** The calls in flight at a server. */
export type McpCalls = {
  /**
   * Makes a request within its time, or goes on with that of the same call which has asked the person.
   * @throws ToolQuestion when the server asks the person; AgentError `tool-timeout` or `tool-failed`, with a sentence.
   */
  readonly request: <Value>(
    what: string,
    ctx: ToolContext,
    make: (options: RequestOptions) => Promise<Value>,
  ) => Promise<Value>;
  /** Ends the requests of calls that ended while they waited for a person. */
  readonly cleanUp: Hook;
};

type Question = { readonly params: ElicitRequest['params']; readonly answer: Deferred<ElicitResult> };

/** A request in flight. It outlives the attempt of its call that asked the person. */
type PendingRequest = {
  readonly outcome: Promise<unknown>;
  readonly watch: Watch;
  /** The question that the person has to answer; null while there is none. */
  question: Question | null;
  /** Called with each question while an attempt of the call waits. */
  onQuestion: ((question: Question) => void) | null;
  /** The context of the attempt that waits. */
  ctx: ToolContext;
};

const mostRequests = 100;

/** Tracks the requests to a server, and answers its questions by approvals with a form. */
export function mcpCalls(
  client: Client,
  { owner, timeoutMs }: { readonly owner: string; readonly timeoutMs: number },
): McpCalls {
  const requests = new Map<string, PendingRequest>();
  answerQuestions(client, requests);

  async function outcomeOf(pending: PendingRequest, what: string, ctx: ToolContext): Promise<unknown> {
    pending.ctx = ctx;
    const onAbort = (): void => pending.watch.abort(ctx.signal.reason);
    ctx.signal.addEventListener('abort', onAbort);
    try {
      const asked = new Promise<never>((_, reject) => {
        pending.onQuestion = (question) => reject(toolQuestion(owner, question));
        if (pending.question !== null) pending.onQuestion(pending.question);
      });
      return await Promise.race([pending.outcome, asked]);
    } catch (thrown) {
      ctx.signal.throwIfAborted();
      if (thrown instanceof ToolQuestion) throw thrown;
      const { reason } = pending.watch.signal;
      if (isAgentError(reason)) throw reason;
      if (isAgentError(thrown)) throw thrown;
      const why = wantsSignIn(thrown) ? signInSentence(owner) : shortMessageOf(thrown);
      throw new AgentError('tool-failed', `${what} of ${owner} failed: ${why}`, { cause: thrown });
    } finally {
      pending.onQuestion = null;
      ctx.signal.removeEventListener('abort', onAbort);
      if (pending.question === null) requests.delete(ctx.toolCallId);
    }
  }

  return {
    async request(what, ctx, make) {
      const known = requests.get(ctx.toolCallId);
      const answer = answerTo(ctx.state, ctx.toolCallId);
      if (known === undefined && answer !== undefined) throw lostAnswerError(what, owner);
      if (known === undefined && requests.size >= mostRequests) throw tooMany(owner);
      const pending = known ?? beginRequest(`${what} of ${owner}`, timeoutMs, ctx, make);
      requests.set(ctx.toolCallId, pending);
      if (pending.question !== null && answer !== undefined) {
        pending.question.answer.resolve({
          action: 'accept',
          ...(pending.question.params.mode === 'url' ? {} : { content: contentOf(answer) }),
        });
        pending.question = null;
        pending.watch.goOn();
      }
      return (await outcomeOf(pending, what, ctx)) as never;
    },
    cleanUp: cleanUp(requests),
  };
}

/** Makes a request, which may outlive the attempt of its call. */
function beginRequest<Value>(
  what: string,
  timeoutMs: number,
  ctx: ToolContext,
  make: (options: RequestOptions) => Promise<Value>,
): PendingRequest {
  const watch = createWatch(timeoutMs, what);
  const progress = reporter((value) => pending.ctx.report(value));
  const options: RequestOptions = {
    signal: watch.signal,
    // The watch also knows how long a person takes.
    timeout: longestTimerMs,
    onprogress(given) {
      watch.sign();
      progress.report(progressOf(given));
    },
  };
  const outcome = make(options).finally(() => {
    watch.end();
    progress.end();
  });
  // It may end while its call waits for a person.
  outcome.catch(() => undefined);
  const pending: PendingRequest = { outcome, watch, question: null, onQuestion: null, ctx };
  return pending;
}

/** Ends the requests of calls that ended while they waited for a person. */
function cleanUp(requests: Map<string, PendingRequest>): Hook {
  return defineHook({
    name: 'mcp-clean-up',
    on: ['after-step', 'after-execution'],
    run(state) {
      const open = currentStep(state)?.toolExecutions.filter((call) => !isFinished(call)) ?? [];
      for (const [id, pending] of requests) {
        const isOther = pending.ctx.state.agentId !== state.agentId || pending.onQuestion !== null;
        if (isOther || open.some((call) => call.id === id)) continue;
        requests.delete(id);
        pending.question?.answer.resolve({ action: 'decline' });
        // The server gets the answer before the request ends.
        setTimeout(() => pending.watch.abort(new Error('The call has ended.')), 1_000);
      }
      return state;
    },
  });
}

/** Answers the questions of the server, unless the client cannot or has a handler of its own. */
function answerQuestions(client: Client, requests: ReadonlyMap<string, PendingRequest>): void {
  try {
    client.assertCanSetRequestHandler('elicitation/create');
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq: { signal } }) => {
      // The protocol does not say which call asks. The one that began last and has no question is taken.
      const pending = [...requests.values()].findLast(({ question }) => question === null);
      if (pending === undefined) return { action: 'cancel' };
      const question: Question = { params, answer: createDeferred<ElicitResult>() };
      pending.question = question;
      pending.watch.pause();
      signal.addEventListener('abort', () => question.answer.resolve({ action: 'cancel' }));
      pending.onQuestion?.(question);
      return question.answer.promise;
    });
  } catch {
    // Without the capability the server does not ask.
  }
}

function toolQuestion(owner: string, { params }: Question): ToolQuestion {
  const message = cutText(params.message, 4_000);
  const said = `${owner.charAt(0).toUpperCase()}${owner.slice(1)} asks: ${message}`;
  if (params.mode === 'url')
    return new ToolQuestion(`${said}\nOpen ${params.url.slice(0, 2_000)}, and approve when you are done.`, {
      type: 'object',
    });
  return new ToolQuestion(said, toJsonObject(params.requestedSchema, { maxValues: 2_000 }));
}

type Content = NonNullable<ElicitResult['content']>;

/** The fields of an answer that the protocol can carry. */
function contentOf(answer: unknown): Content {
  if (!isPlainObject(answer)) return {};
  const isList = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((item) => typeof item === 'string');
  const entries = Object.entries(answer).filter(
    ([, value]) => ['string', 'number', 'boolean'].includes(typeof value) || isList(value),
  );
  return Object.fromEntries(entries) as Content;
}

function lostAnswerError(what: string, owner: string): AgentError {
  const message = `${what} of ${owner} asked the person, and the page was closed before the answer, which ended the call. It may or may not have had its effect.`;
  return new AgentError('tool-interrupted', message);
}

function tooMany(owner: string): AgentError {
  return new AgentError(
    'tool-failed',
    `More than ${mostRequests} calls of ${owner} wait. Answer some of them first.`,
  );
}

/** The time of a request: it may not be silent for too long, nor take ten times as long. */
type Watch = {
  readonly signal: AbortSignal;
  /** A sign of life. */
  readonly sign: () => void;
  /** Stops the time while a person is asked. */
  readonly pause: () => void;
  readonly goOn: () => void;
  readonly abort: (reason: unknown) => void;
  readonly end: () => void;
};

function createWatch(timeoutMs: number, what: string): Watch {
  const ending = new AbortController();
  const mostMs = timeoutMs * 10;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let startedAt = performance.now();
  let usedMs = 0;
  const stopTimer = (): void => {
    clearTimeout(timer);
    usedMs += performance.now() - startedAt;
    startedAt = performance.now();
  };
  const startTimer = (): void => {
    startedAt = performance.now();
    const fail = (): void => {
      const message = `${what} did not answer within ${timeoutMs} ms, or ${mostMs} ms with progress.`;
      ending.abort(new AgentError('tool-timeout', message));
    };
    timer = setTimeout(fail, Math.min(timeoutMs, Math.max(0, mostMs - usedMs), longestTimerMs));
  };
  startTimer();
  return {
    signal: ending.signal,
    sign() {
      stopTimer();
      startTimer();
    },
    pause: stopTimer,
    goOn: startTimer,
    abort: (reason) => ending.abort(reason),
    end: () => clearTimeout(timer),
  };
}

/** The progress of a call, of which a flood becomes one report in 100 ms. */
type Reporter = {
  readonly report: (progress: JsonValue) => void;
  /** Forgets a report that is due. */
  readonly end: () => void;
};

const everyMs = 100;

/** Passes on the first report at once, and then the newest one every 100 ms. */
function reporter(report: (progress: JsonValue) => void): Reporter {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let newest: { readonly progress: JsonValue } | null = null;
  function pass(): void {
    timer = null;
    if (newest === null) return;
    report(newest.progress);
    newest = null;
    timer = setTimeout(pass, everyMs);
  }
  return {
    report(progress) {
      newest = { progress };
      if (timer === null) pass();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The progress as a view shows it: `{ progress, total, message }`; null for what the server does not say. */
function progressOf({ progress, total, message }: Progress): JsonObject {
  return { progress, total: total ?? null, message: message === undefined ? null : cutText(message, 1_000) };
}
