import { create } from '@vitrine/core/internal/graph/agent-state/create';
import type { Env, Timestamp } from '@vitrine/core/internal/graph/env';
import { compile, empty, withSection } from '@vitrine/core/internal/graph/message-store';
import type { Message, MessagePart } from '@vitrine/core/internal/graph/message';
import { knownMessage, normalizeMessages } from '@vitrine/core/internal/graph/normalize-message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import * as errors from '@vitrine/core/internal/kit/errors';
import { isSessionId } from '@vitrine/core/internal/kit/ids';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import { titleOf } from '@vitrine/core/internal/session/conversation/session-title';
import { keepAttachment } from '@vitrine/core/internal/session/store/attachments';
import type {
  SessionBranch,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import type { ReadDocument } from './session-document.ts';

/**
 * A conversation as a tree of messages, for programs that know nothing of this library. Every message names the one
 * before it as `parentId`; two with the same one are alternatives: an edit, or another answer. The guide has its page
 * "Read it without us", and the package its JSON Schema (`schemas/messages.schema.json`).
 */
export type PlainSession = {
  readonly $schema: 'vitrine/messages';
  readonly version: 1;
  readonly id: string;
  readonly title: string;
  /** In Unix milliseconds. */
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** The id of the last message of the branch that a chat shows; null without messages. */
  readonly head: string | null;
  /** All messages of all branches, each behind the one before it. */
  readonly messages: readonly Message[];
};

export const plainSchemaName = 'vitrine/messages';
/** The most branches that a session is imported with; each holds its list of messages. */
export const maxImportedBranches = 100;
/** The most messages of all branches together, each counted once for each branch that has it. */
const maxBranchMessages = 1_000_000;

/** The conversation of a stored or open session, or of a state alone. */
export type PlainSource = {
  readonly state: AgentState;
  readonly branches?: readonly SessionBranch[];
} & Partial<Pick<SessionRecord, 'id' | 'title' | 'createdAt' | 'updatedAt'>>;

/** The tree of a conversation. */
export function plainSessionOf(source: PlainSource): PlainSession {
  const { state, branches = [], title } = source;
  const messages = new Map<string, Message>();
  let head: string | null = null;
  for (const one of [...branches.map((branch) => branch.state), state]) {
    head = null;
    for (const message of compile(one.context.store)) {
      const known = messages.get(message.id);
      // A list that was shortened, as by a summary, begins anew at the place of its first known message.
      if (known === undefined) messages.set(message.id, { ...message, parentId: head });
      head = message.id;
    }
  }
  return {
    $schema: plainSchemaName,
    version: 1,
    id: source.id ?? state.agentId,
    title: title === undefined || title === '' ? titleOf(state) : title,
    createdAt: source.createdAt ?? state.createdAt,
    updatedAt: source.updatedAt ?? state.updatedAt,
    head,
    messages: [...messages.values()],
  };
}

/** True for a value that says to be of the plain shape. */
export function isPlainSession(value: unknown): value is { readonly [key: string]: unknown } {
  return isPlainObject(value) && value['$schema'] === plainSchemaName;
}

/**
 * The session of a tree: its branches, the last of which it shows.
 * @throws AgentError `state-invalid` with the path of the error, `message-invalid` for a value that is no message.
 */
export function readPlainSession(given: { readonly [key: string]: unknown }, env: Env): ReadDocument {
  const { id, title, version, head, createdAt, updatedAt } = given;
  if (version !== 1) throw errors.stateInvalid({ path: 'version', what: 'it is not 1, the only version' });
  const [active = [], ...others] = pathsOf(normalizeMessages(given['messages'], env), head);
  const now = env.now();
  const times = { createdAt: timeOf(createdAt, now), updatedAt: timeOf(updatedAt, now) };
  const stateOf = (path: readonly Message[]): AgentState => ({
    ...create({ messages: path }, env),
    ...times,
  });
  const state = stateOf(active);
  const branches = others.map((path): SessionBranch => ({
    id: env.id(),
    leftAt: path.at(-1)?.createdAt ?? now,
    state: stateOf(path),
  }));
  const record = {
    // A new id for one that no store takes.
    id: typeof id === 'string' && isSessionId(id) ? id : env.id(),
    title: typeof title === 'string' && title !== '' ? title : titleOf(state),
    agentName: '',
    parentId: null,
    ...times,
    status: 'active' as const,
    executionStatus: null,
    queue: [],
    draft: '',
    state,
    branches,
    checkpoints: [],
  };
  return { record, runs: [], files: {}, tail: [] };
}

function timeOf(value: unknown, usual: Timestamp): Timestamp {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : usual;
}

/** The branches of a tree, that of `head` first. */
function pathsOf(messages: readonly Message[], head: unknown): readonly (readonly Message[])[] {
  const known = new Map<string, { message: Message; above: string | null; depth: number }>();
  const inner = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const { id, parentId } = message;
    const above = parentId === null ? null : known.get(parentId);
    if (above === undefined) {
      const what = 'no message before it has this id; list each message behind the one that it follows';
      throw errors.stateInvalid({ path: `messages[${index}].parentId`, what });
    }
    // Branches share their messages, so that they are stored once.
    const own = knownMessage({ ...message, parentId: null });
    known.set(id, { message: own, above: parentId, depth: (above?.depth ?? 0) + 1 });
    if (parentId !== null) inner.add(parentId);
  }
  const last = typeof head === 'string' && known.has(head) ? head : (messages.at(-1)?.id ?? null);
  const leaves = messages.map(({ id }) => id).filter((id) => !inner.has(id) && id !== last);
  const ends = last === null ? [] : [last, ...leaves];
  const size = ends.reduce((sum, id) => sum + (known.get(id)?.depth ?? 0), 0);
  if (ends.length > maxImportedBranches || (ends.length > 1 && size > maxBranchMessages)) {
    const what = `it has ${ends.length} branches of ${size} messages; at most ${maxImportedBranches} of ${maxBranchMessages} are kept`;
    throw errors.stateInvalid({ path: 'messages', what });
  }
  return ends.map((end) => {
    const path: Message[] = [];
    for (let at = known.get(end); at !== undefined;) {
      path.push(at.message);
      at = at.above === null ? undefined : known.get(at.above);
    }
    return path.reverse();
  });
}

/**
 * The record with the inline files of its messages in the store, where it keeps files.
 * @throws AgentError `attachment-too-large` for a file beyond `inlineBytes`, and the errors of the store.
 */
export async function withStoredFiles<Record extends Pick<SessionRecord, 'state' | 'branches'>>(
  record: Record,
  store: SessionStore,
  id: string,
): Promise<Record> {
  const kept = new Map<Message, Message>();
  const states = [record.state, ...record.branches.map(({ state }) => state)];
  for (const message of states.flatMap(({ context }) => compile(context.store))) {
    if (kept.has(message) || !message.parts.some((part) => part.type === 'file')) continue;
    const parts: MessagePart[] = [];
    for (const part of message.parts)
      parts.push(part.type === 'file' ? await keepAttachment(part, store, id) : part);
    kept.set(message, knownMessage({ ...message, parts }));
  }
  if (kept.size === 0) return record;
  const withStoredMessages = (state: AgentState): AgentState => {
    const messages = compile(state.context.store).map((message) => kept.get(message) ?? message);
    return { ...state, context: { ...state.context, store: withSection(empty(), 'messages', messages) } };
  };
  const branches = record.branches.map((branch) => ({ ...branch, state: withStoredMessages(branch.state) }));
  return { ...record, state: withStoredMessages(record.state), branches };
}
