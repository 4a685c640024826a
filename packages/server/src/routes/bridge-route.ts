import { type AgentDefinition, type AgentSession, isAgentError } from '@vitrine/core';
import { type AgUiFetch, toAgUi } from '@vitrine/ag-ui';
import { vitrineTransport } from '@vitrine/ai-sdk';
import type { GuardedRequest } from '@vitrine/proxy/internal/guard';
import * as z from 'zod';
import type { HostedCommand } from '../host/session-host.ts';
import { openBridgedSession } from '../run/bridged-session.ts';
import { type AskedSession, findSession, mayFollow, type ServerParts } from './asked-session.ts';
import { serverProblems } from './problems.ts';
import { giveCommand } from './take-command.ts';

/** A request in another protocol, as its path names it. */
export type BridgeAddress = {
  /** The name of the agent in its address. */
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly kind: 'ag-ui' | 'chat';
  /** The chat whose stream is asked for; null for a request that names its session in the body. */
  readonly id: string | null;
};

/** A session that readers in another protocol share. */
type Bridged = {
  readonly session: Promise<AgentSession>;
  /** The last request, whose principal gives the commands. */
  asked: GuardedRequest;
  readers: number;
  /** Aborts when its principal may not follow it any more. */
  readonly ending: AbortController;
  timer: ReturnType<typeof setTimeout> | undefined;
};

/** The sessions of a server that are read in other protocols, and its handler of AG-UI. */
type Bridges = {
  readonly known: Map<string, Bridged>;
  readonly agUi: AgUiFetch;
  readonly finders: WeakMap<Request, (threadId: string) => Promise<AgentSession | null>>;
};

const bridgesOf = new WeakMap<ServerParts['runner'], Bridges>();

/** A request body of the `DefaultChatTransport` of the AI SDK. The parts are read by the bridge. */
const chatBody = z.looseObject({
  id: z.string(),
  trigger: z.enum(['submit-message', 'regenerate-message']),
  messageId: z.string().optional(),
  messages: z.array(
    z.looseObject({
      id: z.string(),
      role: z.enum(['system', 'user', 'assistant']),
      parts: z.array(z.looseObject({ type: z.string() })),
    }),
  ),
});

/**
 * Answers AG-UI and the UI message streams of the AI SDK for the session of the thread's or chat's id. A request is
 * given as commands of its principal, and a client that leaves stops nothing.
 */
export async function bridgeRoute(
  asked: GuardedRequest,
  address: BridgeAddress,
  parts: ServerParts,
): Promise<Response> {
  const { method, headers } = asked.request;
  const isRejoin = address.kind === 'ag-ui' ? headers.has('last-event-id') : address.id !== null;
  if (method !== 'POST' && !(method === 'GET' && isRejoin)) return asked.refuse(serverProblems.wrongMethod);
  const entered = await asked.enter('stream');
  if ('refused' in entered) return entered.refused;
  const held: (() => void)[] = [entered.release];
  const release = (): void => held.splice(0).forEach((end) => end());
  try {
    const reading = createReading(asked, address, { parts, held });
    const answered = await (address.kind === 'ag-ui' ? agUiAnswer : chatAnswer)(reading);
    if (!answered.ok || answered.body === null) {
      release();
      return answered;
    }
    const headersOf = { ...Object.fromEntries(answered.headers), ...streamHeaders };
    const body = untilAborted(answered.body, reading.signal(), {
      last: cutEvents[address.kind],
      onEnd: release,
    });
    return new Response(body, { headers: headersOf });
  } catch (thrown) {
    release();
    if (!isAgentError(thrown, 'message-invalid')) throw thrown;
    return asked.refuse(serverProblems.invalidCommand(thrown.message));
  }
}

const frameOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const cutMessage =
  'The server has ended this stream, and the run goes on without it. Ask again for the rest.';
/** The last event of a stream that ends before its run: without one a client takes the answer for a whole one. */
const cutEvents: Readonly<Record<BridgeAddress['kind'], string>> = {
  'ag-ui': frameOf({ type: 'RUN_ERROR', code: 'stream-incomplete', message: cutMessage }),
  chat: frameOf({ type: 'error', errorText: cutMessage }),
};

const streamHeaders = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };

/** One request that reads a session. */
type Reading = ReturnType<typeof createReading>;

function createReading(
  asked: GuardedRequest,
  address: BridgeAddress,
  { parts, held }: { readonly parts: ServerParts; readonly held: (() => void)[] },
) {
  const { limits } = parts;
  const bridges = bridgesOf.get(parts.runner) ?? createBridges();
  bridgesOf.set(parts.runner, bridges);
  let signal = parts.leaving;
  return {
    asked,
    address,
    bridges,
    // A client sends the whole conversation with each message.
    body: (): ReturnType<GuardedRequest['readJson']> =>
      asked.readJson({ bytes: limits.sessionBytes, ms: limits.bodyMs, depth: limits.depth }),
    /** Aborts when the session that was found may not be read any more. */
    signal: (): AbortSignal => signal,
    /** Finds a session, which is held until the request ends. */
    async find(id: string): Promise<AgentSession | { readonly refused: Response }> {
      const looked = await findSession(asked, { ...address, id }, parts);
      if ('refused' in looked) return looked;
      const { found } = looked;
      if (found === null) return { refused: asked.refuse(serverProblems.unknownSession) };
      if (found.kind === 'deleted') return { refused: asked.refuse(serverProblems.deletedSession) };
      const bridged = hold(bridges, asked, found, parts);
      held.push(() => leave(bridged, parts));
      ({ signal } = bridged.ending);
      const session = await bridged.session;
      return signal.aborted ? { refused: asked.refuse(serverProblems.unknownSession) } : session;
    },
  };
}

function createBridges(): Bridges {
  const finders: Bridges['finders'] = new WeakMap();
  const find = async (threadId: string, request: Request): Promise<AgentSession | null> =>
    (await finders.get(request)?.(threadId)) ?? null;
  return { known: new Map(), finders, agUi: toAgUi(find, { graceMs: Infinity }) };
}

/** The session of a principal, which its readers share. */
function hold({ known }: Bridges, asked: GuardedRequest, found: AskedSession, parts: ServerParts): Bridged {
  const { address, agent } = found;
  const { principal } = asked;
  const key = JSON.stringify([principal.id, address.owner, address.agent, address.sessionId]);
  const there = known.get(key);
  if (there !== undefined) {
    clearTimeout(there.timer);
    there.asked = asked;
    there.readers += 1;
    return there;
  }
  const ending = new AbortController();
  const open = async (): Promise<AgentSession> =>
    openBridgedSession({
      host: parts.host,
      agent,
      address,
      give: (command) => give(bridged.asked, found, command, parts),
      mayGoOn: () => mayFollow(bridged.asked, address, parts),
      ending,
    });
  const bridged: Bridged = { asked, readers: 1, ending, timer: undefined, session: open() };
  known.set(key, bridged);
  const leaveAll = (): void => ending.abort();
  parts.leaving.addEventListener('abort', leaveAll);
  ending.signal.addEventListener('abort', () => {
    known.delete(key);
    parts.leaving.removeEventListener('abort', leaveAll);
    clearTimeout(bridged.timer);
    bridged.session.then((session) => session.dispose()).catch(() => undefined);
  });
  bridged.session.catch(leaveAll);
  return bridged;
}

/** Gives a command to a session as it is now. */
async function give(
  asked: GuardedRequest,
  { address, agent }: AskedSession,
  command: HostedCommand,
  parts: ServerParts,
): Promise<Response> {
  const looked = await findSession(asked, { name: address.agent, agent, id: address.sessionId }, parts);
  if ('refused' in looked) return looked.refused;
  if (looked.found === null) return asked.refuse(serverProblems.unknownSession);
  return giveCommand(asked, looked.found, command, parts);
}

/** Holds a session that nobody reads for a while: a reader that was cut off comes back. */
function leave(bridged: Bridged, { lingerMs }: ServerParts): void {
  bridged.readers -= 1;
  if (bridged.readers > 0) return;
  bridged.timer = setTimeout(() => bridged.ending.abort(), lingerMs);
  bridged.timer.unref();
}

async function agUiAnswer({ asked, bridges, body, find }: Reading): Promise<Response> {
  const { method, url, headers: given } = asked.request;
  const id = given.get('last-event-id');
  const read = id === null && method === 'POST' ? await body() : null;
  if (read !== null && 'refused' in read) return read.refused;
  const request =
    read === null
      ? new Request(url, { headers: { 'last-event-id': id ?? '' } })
      : new Request(url, { method: 'POST', body: JSON.stringify(read.value) });
  let refused: Response | null = null;
  bridges.finders.set(request, async (threadId) => {
    const found = await find(threadId);
    if (!('refused' in found)) return found;
    ({ refused } = found);
    return null;
  });
  const answer = await bridges.agUi(request);
  return refused ?? answer;
}

async function chatAnswer({ asked, address, body, find }: Reading): Promise<Response> {
  const { id } = address;
  if (id !== null) {
    const session = await find(id);
    if ('refused' in session) return session.refused;
    const chunks = await vitrineTransport(session).reconnectToStream({});
    return chunks === null ? new Response(null, { status: 204 }) : uiAnswer(chunks);
  }
  const read = await body();
  if ('refused' in read) return read.refused;
  const parsed = chatBody.safeParse(read.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const what = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}.`;
    return asked.refuse(serverProblems.invalidCommand(what));
  }
  const { id: chatId, trigger, messageId, messages, ...rest } = parsed.data;
  const session = await find(chatId);
  if ('refused' in session) return session.refused;
  const request = { trigger, messageId, messages, body: rest, abortSignal: undefined };
  return uiAnswer(await vitrineTransport(session).sendMessages(request));
}

/** Chunks as the server-sent events that the AI SDK reads. */
function uiAnswer(chunks: ReadableStream<object>): Response {
  const texts = new TransformStream<object, string>({
    transform: (chunk, controller) => controller.enqueue(frameOf(chunk)),
    flush: (controller) => controller.enqueue('data: [DONE]\n\n'),
  });
  return new Response(chunks.pipeThrough(texts).pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' },
  });
}

/** A body that ends when its reader leaves, and with a last event when a signal aborts. */
function untilAborted(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  { last, onEnd }: { readonly last: string; readonly onEnd: () => void },
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const piped = body.pipeTo(writable, { signal, preventAbort: true });
  piped.then(onEnd, onEnd);
  const end = async (thrown: unknown): Promise<void> => {
    if (!signal.aborted) return writable.abort(thrown);
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(last));
    await writer.close();
  };
  // The reader may leave during the last event.
  piped.catch(end).catch(() => undefined);
  return readable;
}
