import { type AgentError, isAgentError, type JsonObject, type SessionStore } from '@vitrine/core';
import { textOrNull } from '@vitrine/core/internal/kit/text';
import type { GuardedRequest } from '@vitrine/proxy/internal/guard';
import { isAlwaysKept } from '../host/owner-limits.ts';
import type { HostedCommand, SessionAddress, SessionHost } from '../host/session-host.ts';
import { say } from '../run/bus-message.ts';
import { isGiven, withinLimits } from '../run/grant-limits.ts';
import { type Access, type AskedSession, personOf, type ServerParts } from './asked-session.ts';
import { readCommand } from './command-shape.ts';
import { serverProblems } from './problems.ts';

export async function takeCommand(
  asked: GuardedRequest,
  found: AskedSession,
  { limits, ...parts }: ServerParts,
): Promise<Response> {
  const { request, readJson, enter, refuse, principal } = asked;
  const giver = new URL(request.url).searchParams.get('by');
  if (giver !== null && giver !== (await personOf(principal.id))) return refuse(serverProblems.otherPerson);
  const entered = await enter('request');
  try {
    // A person without points ends and answers what goes on all the same, so the command is read first.
    const bytes = 'refused' in entered ? Math.min(urgentBytes, limits.commandBytes) : limits.commandBytes;
    const body = await readJson({ bytes, ms: limits.bodyMs, depth: limits.depth });
    if ('refused' in body) return 'refused' in entered ? entered.refused : body.refused;
    return await keepEntered(asked, found, { entered, value: body.value }, parts);
  } finally {
    if ('release' in entered) entered.release();
  }
}

/** Keeps a command that a request means in another protocol. It counts as one that came by itself. */
export async function giveCommand(
  asked: GuardedRequest,
  found: AskedSession,
  value: unknown,
  parts: ServerParts,
): Promise<Response> {
  const entered = await asked.enter('request');
  try {
    return await keepEntered(asked, found, { entered, value }, parts);
  } finally {
    if ('release' in entered) entered.release();
  }
}

type Entered = { readonly entered: Awaited<ReturnType<GuardedRequest['enter']>>; readonly value: unknown };

async function keepEntered(
  asked: GuardedRequest,
  found: AskedSession,
  { entered, value }: Entered,
  parts: Omit<ServerParts, 'limits'>,
): Promise<Response> {
  const read = readCommand(value);
  if ('refused' in entered && ('issue' in read || !isAlwaysKept(read.command.type))) return entered.refused;
  if ('issue' in read) return asked.refuse(serverProblems.invalidCommand(read.issue));
  return keep(asked, found, read.command, parts);
}

/** The most bytes of a command of a person whose requests are used up. */
const urgentBytes = 256 * 1024;

/** The rights that a command and its fields need, all of them. */
function actsOf({ type, grant, action }: HostedCommand): readonly Parameters<Access>[2][] {
  if (type === 'answer') return ['approve'];
  if (type === 'continue' && isGiven(grant)) return ['command', 'grant'];
  // A breakpoint that is released with other arguments decides about a call, as an approval does.
  if (type === 'debug' && isGiven((action as JsonObject)['edit'])) return ['command', 'approve'];
  return ['command'];
}

/** The model that a command names, or of which it names the effort, then of the agent; null for none. */
function modelOf(
  { model, reasoning, options }: HostedCommand,
  { llmConfig, inference }: AskedSession['agent'],
): string | null {
  const named = textOrNull(model ?? (options as JsonObject | undefined)?.['model']);
  const isOfAgent = named === null && textOrNull(reasoning) !== null;
  return isOfAgent ? (llmConfig?.model ?? inference.defaultModel ?? '') : named;
}

/** Keeps a command of a principal who may give it. */
async function keep(
  { refuse, principal }: GuardedRequest,
  { address, agent, kind }: AskedSession,
  given: HostedCommand,
  { host, access, allowModel }: Omit<ServerParts, 'limits'>,
): Promise<Response> {
  for (const act of actsOf(given))
    if (!(await access(principal, address, act))) return refuse(serverProblems.notAllowed(act));
  const model = modelOf(given, agent);
  if (model !== null && !(await allowModel(model, principal)))
    return refuse(serverProblems.otherModel(model));
  if (kind === 'deleted') return refuse(serverProblems.deletedSession);
  const command = withinLimits(given, agent);
  const refused = await submitWithRoom(host, address, command, principal.id);
  if (refused?.code === 'session-not-found') return refuse(serverProblems.unknownSession);
  if (refused !== null) return refuse(serverProblems.noRoom(refused.message));
  say(host.bus, address, { type: 'look' });
  const answer = await host.answerOf(address, command.id);
  const known = answer === null || answer === 'waiting' ? {} : { answer };
  return Response.json({ id: command.id, ...known }, { status: 202 });
}

/** Keeps a command. Sessions that were deleted give way first. @returns the refusal; null for a command that is kept */
async function submitWithRoom(
  host: SessionHost,
  address: SessionAddress,
  command: HostedCommand,
  by: string,
): Promise<AgentError | null> {
  for (let isLast = false; ; isLast = true) {
    try {
      await host.submit(address, command, by);
      return null;
    } catch (thrown) {
      if (isAgentError(thrown, 'session-not-found')) return thrown;
      if (!isAgentError(thrown, 'session-quota-exceeded')) throw thrown;
      if (isLast || !(await haveGivenWay(host.sessions(address.owner)))) return thrown;
    }
  }
}

/** Erases the deleted sessions of an owner, whose time to be restored would have gone on. False when there is none. */
async function haveGivenWay(sessions: SessionStore): Promise<boolean> {
  const { sessions: deleted } = await sessions.list({ status: 'deleted' });
  for (const { id } of deleted) await sessions.remove(id);
  return deleted.length > 0;
}
