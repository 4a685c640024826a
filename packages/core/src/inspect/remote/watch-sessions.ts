import { AgentError } from '../../kit/agent-error.ts';
import { isKnownEvent } from '../../run/apply.ts';
import type { AgentEvent } from '../../run/events.ts';
import { type SessionHub, sessionHub } from '../../session/hub.ts';
import { isEvent } from '../replay/journal-document.ts';
import type { RemoteChannel } from './remote-channel.ts';
import { opened, type RemoteMessage, remoteVersion, sealed, type ToldMessage } from './remote-message.ts';
import { watchSession, type WatchedSession } from './watched-session.ts';

/** What `watchSessions` may be given. */
export type WatchOptions = {
  /** Where they are announced. Default: the hub of this page, in which its panel finds them. */
  readonly hub?: SessionHub;
  /** Hears, once for each cause, why something of another page is not shown. Default: `reportError`, which the console shows. */
  readonly onProblem?: (problem: AgentError) => void;
};

type Known = WatchedSession & { n: number; missed: number };

/** So many messages that do not follow are waited for, until what is missing is asked for once more. */
const askEvery = 16;

/**
 * Announces the sessions of another page, which shares them with `shareSessions`, beside those of this one: a panel
 * shows them alike. They can be looked at only. What was missed is asked for again; nothing of what comes is believed
 * before it was checked.
 * @returns Takes them off again.
 */
export function watchSessions(
  channel: RemoteChannel,
  { hub = sessionHub(), onProblem = report }: WatchOptions = {},
): () => void {
  const pages = new Map<string, Map<string, Known>>();
  const told = new Set<string>();

  function tell(why: string): void {
    if (told.has(why)) return;
    told.add(why);
    onProblem(new AgentError('remote-invalid', `Sessions of another page are not shown. ${why}`));
  }

  /** The id of the session, unless another page shows one of that id: then it says of which page it is. */
  function hubId(page: string, source: string): string {
    const isTaken = [...pages].some(([other, sessions]) => other !== page && sessions.has(source));
    return isTaken ? `${source} of ${page}` : source;
  }

  function sessionOf(page: string, source: string): Known {
    const sessions = pages.get(page) ?? new Map<string, Known>();
    pages.set(page, sessions);
    const known = sessions.get(source);
    if (known) return known;
    const session = { ...watchSession(hubId(page, source), hub), n: 0, missed: 0 };
    sessions.set(source, session);
    return session;
  }

  function take(message: ToldMessage): void {
    const { page, source } = message;
    if (message.type === 'gone') {
      pages.get(page)?.get(source)?.end();
      pages.get(page)?.delete(source);
      return;
    }
    const session = sessionOf(page, source);
    if (message.type === 'journals') {
      session.takeJournals(message.name, message.journals);
      session.n = message.n;
      session.missed = 0;
      return;
    }
    if (message.n <= session.n) return;
    const isNext = message.n === session.n + 1;
    if (isNext && session.takeEvents(message.journalId, readEvents(message.events))) session.n = message.n;
    else if (session.missed++ % askEvery === 0) channel.post(sealed({ type: 'again', page, source }));
  }

  function hear(data: unknown): void {
    const message = opened(data);
    if (message === null) return;
    if ('otherVersion' in message) {
      const both = `It speaks version ${message.otherVersion}, this one version ${remoteVersion}.`;
      return tell(`${both} Use the same version of the library on both pages.`);
    }
    try {
      if (message.type === 'here') channel.post(sealed({ type: 'hello' }));
      else if (message.type === 'bye') leave(message.page);
      else if (isTold(message)) take(message);
    } catch (thrown) {
      tell(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  function leave(page: string): void {
    for (const session of pages.get(page)?.values() ?? []) session.end();
    pages.delete(page);
  }

  const leaveChannel = channel.subscribe(hear);
  channel.post(sealed({ type: 'hello' }));
  return () => {
    leaveChannel();
    for (const page of pages.keys()) leave(page);
  };
}

function isTold(message: RemoteMessage): message is ToldMessage {
  return message.type === 'journals' || message.type === 'events' || message.type === 'gone';
}

function readEvents(given: readonly unknown[]): readonly AgentEvent[] {
  const isRight = Array.isArray(given) && given.every((event) => isEvent(event) && isTakeable(event));
  if (!isRight) throw new TypeError('It told of an event that is not known.');
  return given as readonly AgentEvent[];
}

/** Signals change nothing, whatever they are. */
function isTakeable(event: AgentEvent): boolean {
  return event.seq === null || isKnownEvent(event);
}

function report(problem: AgentError): void {
  if (typeof reportError === 'function') reportError(problem);
}
