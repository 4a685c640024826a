import {
  AgentError,
  type AgentErrorCode,
  type AgentSession,
  createAgentSession,
  ErrorInfo,
  type JsonValue,
} from '@vitrine/core';
import { memorySessions, type TabLink } from '@vitrine/persist';
import { linkFromJSON, type LinkPosition } from '@vitrine/persist/internal/link/link-json';
import { type LinkMessage, unseal, seal } from '@vitrine/persist/internal/link/protocol';
import type { CommandAnswer, HostedCommand } from '../host/session-host.ts';
import { createFollowStream, type FollowerOptions } from './follow.ts';

export type BridgedSessionOptions = Omit<FollowerOptions, 'from' | 'person' | 'inspects'> & {
  /** Gives a command for the principal of the moment, by the rules of the route for commands. */
  readonly give: (command: HostedCommand) => Promise<Response>;
  /** Ends the session. It is aborted here when the principal may not follow it any more. */
  readonly ending: AbortController;
};

/** The time for the messages of a session to come before an answer that was looked up, in milliseconds. */
const orderMs = 250;

/** A session that runs on any process, as code here holds it: like a page it follows, and gives commands. */
export async function openBridgedSession(options: BridgedSessionOptions): Promise<AgentSession> {
  const { agent, address } = options;
  const { sessionId } = address;
  // The link tells what is stored, and the runner stores it.
  const sessions = { ...memorySessions(), tabs: linkOf(options) };
  const session = createAgentSession({ agent, sessionId, sessions });
  await session.ready;
  await untilShown(session, options.ending);
  return session;
}

/** Resolves when a session has the first message of its link, or ends. */
function untilShown({ store }: AgentSession, { signal }: AbortController): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (store.getState().where !== 'server' && !signal.aborted) return;
      unsubscribe();
      signal.removeEventListener('abort', check);
      resolve();
    };
    const unsubscribe = store.subscribe(check);
    signal.addEventListener('abort', check);
    check();
  });
}

function linkOf(options: BridgedSessionOptions): TabLink {
  return {
    where: 'server',
    lock(_name, onTurn) {
      queueMicrotask(() => onTurn(false));
      return () => undefined;
    },
    open(_name, onMessage) {
      let term = 0;
      const send = (message: LinkMessage): void => {
        if ('term' in message) ({ term } = message);
        onMessage(seal(message));
      };
      const stream = createRestartedStream(options, send);
      const answer = (commandId: string, { turn, error }: CommandAnswer): void =>
        send({ type: 'answer', term, n: 0, commandId, turn, error });
      const given = new Set<string>();

      async function take(command: HostedCommand): Promise<void> {
        const { id } = command;
        // A follower repeats its command until it hears the answer, which may be lost on the way.
        if (given.has(id)) {
          const known = await options.host.answerOf(options.address, id);
          // It was erased with its session.
          if (known === null) given.delete(id);
          if (known === null || known === 'waiting') return;
          await new Promise((resolve) => setTimeout(resolve, orderMs));
          return answer(id, known);
        }
        given.add(id);
        const response = await options.give(command);
        if (response.ok) return;
        given.delete(id);
        answer(id, { turn: null, error: ErrorInfo.of(await refusalOf(response)) });
      }

      return {
        post(data) {
          const message = unseal(data);
          if (message?.type === 'hello') stream.follow(message);
          if (message?.type !== 'command') return;
          const command = JSON.parse(JSON.stringify(message.command)) as HostedCommand;
          // It is repeated when the storage fails.
          take(command).catch(() => given.delete(command.id));
        },
        close: () => stream.end(),
      };
    },
  };
}

/** The messages of a session behind the position of its follower. */
function createRestartedStream(
  options: BridgedSessionOptions,
  send: (message: LinkMessage) => void,
): { readonly follow: (position: LinkPosition) => void; readonly end: () => void } {
  let current: ReturnType<typeof createFollowStream> | null = null;
  let hasSent = false;
  return {
    follow({ have, seen }) {
      // Messages come in order, so a follower without a place has lost the one that it had.
      if (current !== null && (seen !== null || !hasSent)) return;
      current?.end();
      hasSent = false;
      // Nothing is sent offline from here, and no other protocol shows what models are sent.
      const given = { ...options, person: '', inspects: false, from: { have, seen } };
      const stream = createFollowStream(given, (text) => {
        const data = /^data: (.*)$/m.exec(text)?.[1];
        if (text.startsWith('event:') || data === undefined || current !== stream) return;
        const message = linkFromJSON(JSON.parse(data) as JsonValue);
        if (message === null) return;
        hasSent ||= message.type !== 'answer';
        send(message);
      });
      current = stream;
      stream.begin(() => options.ending.abort());
    },
    end: () => void current?.end(),
  };
}

async function refusalOf(response: Response): Promise<AgentError> {
  const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string };
  return new AgentError(code as AgentErrorCode, detail, { data: { status: response.status } });
}
