import { type AgentDefinition, AgentError, type Env, type OutgoingMessage, systemEnv } from '@vitrine/core';
import {
  type AnswerLimits,
  entryRecorder,
  guardedCalls,
  type GuardedRequest,
  guardedRoutes,
  type GuardedRoutes,
  type GuardedRoutesOptions,
  type Problem,
  type QuotaOptions,
} from '@vitrine/proxy/internal/guard';
import { within } from '@vitrine/proxy/internal/kit/time';
import { defaultOwnerLimits, isDiskFull } from './host/owner-limits.ts';
import type { SessionAddress, SessionHost } from './host/session-host.ts';
import { answerRoute, nameOfRoute, routeOf } from './routes/answer-route.ts';
import type { Access, CommandLimits } from './routes/asked-session.ts';
import { readCommand } from './routes/command-shape.ts';
import { serverProblems } from './routes/problems.ts';
import type { OnWaiting } from './run/waiting-calls.ts';
import { say } from './run/bus-message.ts';
import { agentOf, createSessionRunner } from './run/session-runner.ts';

/** Options of {@link createAgentServer}. */
export type AgentServerOptions<Agents extends Readonly<Record<string, AgentDefinition>>> = {
  /** The agents by the names in their addresses. */
  readonly agents: Agents;
  readonly host: SessionHost;
  /** Identifies the caller, who owns its sessions. Null lets nobody in, and so does a function that throws. */
  readonly authorize: NonNullable<GuardedRoutesOptions['authorize']>;
  /**
   * Decides about following, commanding and approving, about grants beyond the budget and about inspecting, also for
   * sessions of other owners, which a request names with `?owner=`. A grant gives each limit of the agent at most once
   * more. Default: the owner may follow, command and approve, and nobody anything else.
   */
  readonly access?: Access;
  /**
   * Decides whether a principal may choose a model, for a session or for one turn. The server pays for its answers.
   * A choice of the effort alone is one of the agent's own model (`''` for one without a name).
   * Default: nobody chooses, and each agent keeps its own.
   */
  readonly allowModel?: (model: string, principal: Parameters<Access>[0]) => boolean | Promise<boolean>;
  /** Limits of commands and sessions, and of the answers that count for `quotas.cost`. */
  readonly limits?: Partial<CommandLimits & AnswerLimits>;
  /**
   * Quotas of a principal: commands, open streams (`concurrent`; as many commands are read at once), and the cost of the model calls of its runs. A run above the quota of cost
   * ends as failed with `quota-exceeded`, and keeps its message. Give a limiter of `rate-limiter-flexible` where several
   * processes count together. Default: unlimited.
   */
  readonly quotas?: GuardedRoutesOptions['quotas'] & Pick<QuotaOptions, 'cost' | 'costOf'>;
  /**
   * Called once when calls of a session begin to wait for a person, e.g. to send a notification. A process that goes on
   * with the session calls it again only when the one before was killed during the call.
   */
  readonly onWaiting?: OnWaiting;
  /**
   * Milliseconds that calls wait for approval. Then they are rejected, and the run goes on; one that waits for an output of
   * a page is stopped. The same happens at the deadline of a run. Default: no limit.
   */
  readonly approvalMs?: number;
  /** Milliseconds without work before a session leaves memory. Default: 2,000. */
  readonly lingerMs?: number;
  /** The clock and the ids of sessions. Default: `systemEnv`. */
  readonly env?: Env;
} & Pick<GuardedRoutesOptions, 'allowedOrigins' | 'allowedHosts' | 'log' | 'metrics'>;

type ServerSendOptions = {
  /** The id of the command. The same id a second time changes nothing. Default: a new one. */
  readonly id?: string;
  /** The time before which the message is not sent, in milliseconds since 1970. Default: now. */
  readonly at?: number;
  /** The id of the principal for whom the run works. Default: the owner of the session. */
  readonly by?: string;
};

/** A server of agents: serve it with `serveInferenceProxy`, or anything that speaks Request and Response. */
export type AgentServer<
  Agents extends Readonly<Record<string, AgentDefinition>> = Readonly<Record<string, AgentDefinition>>,
> = GuardedRoutes & {
  /** Resolves when sessions run here, and rejects when the host cannot start. Until then requests get 503. */
  readonly ready: Promise<void>;
  /**
   * Sends a message to a session, for the code of the application: a reminder, a webhook, a turn each morning. Resolves when
   * it is kept. @throws AgentError `message-invalid`, `agent-invalid` for an unknown agent, `session-storage`
   */
  readonly send: (
    address: SessionAddress,
    message: string | OutgoingMessage,
    options?: ServerSendOptions,
  ) => Promise<void>;
  /** Leaves every session when no tool runs, or after `graceMs` (default: 10,000), and stops the host. */
  readonly stop: (options?: { readonly graceMs?: number }) => Promise<void>;
  /** The types of the agents, for `agentServer<typeof server>`. It has no value. */
  readonly '~agents'?: Agents;
};

const mebibyte = 1024 * 1024;
const defaults: CommandLimits = {
  commandBytes: 4 * mebibyte,
  bodyMs: 10_000,
  depth: 64,
  sessionBytes: 32 * mebibyte,
  ...defaultOwnerLimits,
};

/**
 * Runs the sessions of agents on a server. It serves `GET /agents`, `GET /agents/:agent/sessions`, `GET`, `PUT` (a session
 * that moves here) and `DELETE …/:id`, `POST …/:id/restore`, `GET …/:id/past` (for panels), `GET …/:id/events` (server-sent events), `POST
 * …/:id/commands` and `GET …/:id/commands/:command`, AG-UI (`POST /agents/:agent/ag-ui`) and the UI message streams of the
 * AI SDK (`POST /agents/:agent/chat`, `GET …/chat/:id/stream`), `/healthz`, `/readyz` and `/metrics`, each under any path, behind the
 * guard of the proxy.
 * @throws AgentError `agent-invalid` without `authorize`, and for an invalid `approvalMs`, origins and quotas
 */
export function createAgentServer<const Agents extends Readonly<Record<string, AgentDefinition>>>(
  options: AgentServerOptions<Agents>,
): AgentServer<Agents> {
  const { agents, host, access = isOwner, onWaiting = () => undefined, lingerMs = 2000 } = options;
  const limits = { ...defaults, ...options.limits };
  const { env, approvalMs = Infinity } = options;
  if (!(approvalMs > 0)) {
    const what = `createAgentServer: approvalMs is ${approvalMs}; give milliseconds above 0, or leave it out.`;
    throw new AgentError('agent-invalid', what);
  }
  const { cost, costOf, ...quotas } = options.quotas ?? {};
  const calls = {
    record: entryRecorder(options),
    guard: guardedCalls({ ...(cost && { cost }), ...(costOf && { costOf }) }, options.limits),
  };
  const runner = createSessionRunner({ agents, host, lingerMs, onWaiting, approvalMs, env, calls });
  let isStopping = false;
  /** The reason why no session runs here; null when they do. */
  let unready: string | null = 'the host starts.';
  const leaving = new AbortController();

  /** Answers a request where sessions run; elsewhere nobody would tell followers what happens. */
  async function answer(request: GuardedRequest): Promise<Response> {
    // Most hosts take a moment to start.
    if (unready !== null && !isStopping) await within(startMs, ready, undefined);
    if (unready !== null) return request.refuse(serverProblems.notReady(notHere(isStopping)));
    const { authorize, allowModel = () => false } = options;
    const clock = env ?? systemEnv;
    const mine = { agents, host, runner, access, allowModel, limits, authorize, lingerMs };
    const parts = { ...mine, env: clock, leaving: leaving.signal };
    return answerRoute(request, parts);
  }

  const routes = guardedRoutes({
    ...options,
    quotas,
    routeOf,
    nameOf: nameOfRoute,
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    unready: async () => (unready === null ? health() : serverProblems.notReady(unready)),
    answer,
  });
  const health = createHealth(host);
  const { sessions, bytes } = limits;
  const ready = host.start(runner.run, { sessions, bytes }).then(
    () => void (unready = isStopping ? unready : null),
    (thrown: unknown) => {
      unready = thrown instanceof Error ? thrown.message : String(thrown);
      throw thrown;
    },
  );
  // `/readyz` says it too, so an application need not look.
  ready.catch(() => undefined);

  return {
    ...routes,
    ready,
    send: (address, message, given = {}) => sendTo(options, address, message, given),
    async stop({ graceMs = 10_000 } = {}) {
      isStopping = true;
      unready = 'the server stops.';
      await runner.drain(graceMs);
      leaving.abort();
      await host.stop({ graceMs: 1000 });
    },
  };
}

async function sendTo(
  { agents, host, env = systemEnv }: AgentServerOptions<Readonly<Record<string, AgentDefinition>>>,
  address: SessionAddress,
  message: string | OutgoingMessage,
  { id = env.id(), at, by = address.owner }: ServerSendOptions,
): Promise<void> {
  if (agentOf(agents, address.agent) === null) {
    const known = Object.keys(agents).join(', ');
    const what = `The server has no agent ${JSON.stringify(address.agent)}. It has ${known}.`;
    throw new AgentError('agent-invalid', what);
  }
  const outgoing = typeof message === 'string' ? { text: message } : message;
  const read = readCommand({ type: 'send', id, message: outgoing, options: {}, onBusy: 'queue' });
  if ('issue' in read) throw cannotSend(read.issue);
  if (at !== undefined && !Number.isFinite(at)) throw cannotSend(`at is ${at}, which is no time.`);
  await host.submit(address, read.command, by, at);
  say(host.bus, address, { type: 'look' });
}

function cannotSend(issue: string): AgentError {
  return new AgentError('message-invalid', `The message cannot be sent: ${issue}`);
}

/** The time that a request waits for the host to start, in milliseconds. */
const startMs = 2000;

/** The reason for a caller. That of the probe is for operators: it may name files. */
function notHere(isStopping: boolean): string {
  return isStopping ? 'the server stops.' : 'they have not started. Another process may have them still.';
}

/** The owner of a session, who does not lift the limits of the operator, nor read the prompts behind the conversation. */
const isOwner: Access = ({ id }, { owner }, act) => id === owner && act !== 'grant' && act !== 'inspect';

/** The time for which the state of the storage is known, in milliseconds. */
const healthMs = 1000;

/** Creates the question after the storage of a host: the problem with it, or null. Probes share an answer for a second. */
function createHealth({ check }: SessionHost): () => Promise<Problem | null> {
  let asked: Promise<Problem | null> | null = null;
  return () => {
    if (asked !== null) return asked;
    asked = check().then(
      () => null,
      // A balancer takes no other status for a reason to send requests elsewhere.
      (thrown: unknown) => ({ ...serverProblems.storage(isDiskFull(thrown)), status: 503 }),
    );
    setTimeout(() => (asked = null), healthMs).unref();
    return asked;
  };
}
