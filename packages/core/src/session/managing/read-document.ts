import { agentStateCodec, executionStateCodec } from '../../graph/document/codecs.ts';
import { validate } from '../../graph/document/document.ts';
import { messagesOf } from '../../graph/document/message-table.ts';
import { putMessage, putPlugins, ownJson, takeMessage } from '../../graph/document/parts.ts';
import { migrateChain } from '../../graph/document/migrate-chain.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState, ExecutionState } from '../../graph/types.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { readJson } from '../../kit/json.ts';
import * as errors from '../../kit/errors.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import { type DocumentFiles, inlineFiles } from './document-files.ts';
import {
  anyDocumentSchema,
  documentChain,
  type SessionDocument,
  sessionDocumentSchema,
} from './session-document-schema.ts';

/** The whole content of an exported document. */
export type ReadDocument = {
  readonly record: Omit<SessionRecord, 'version' | 'journal'>;
  readonly runs: readonly ExecutionState[];
  readonly files: DocumentFiles;
};

/**
 * Parses an exported session for a store; `given` is the document or its text. Files become inline where the
 * store keeps none.
 * @throws AgentError `state-invalid` with the path of the error, `state-version-unsupported` for a newer
 * document.
 */
export function readDocument(given: unknown, store: SessionStore): ReadDocument {
  const document = checked(typeof given === 'string' ? parsed(given) : given);
  const { files = {} } = document;
  inlineFiles(document, files, store);
  const { id, title, agentName, parentId, createdAt, updatedAt, queue, draft } = document;
  const state = at('state', () => agentStateCodec.fromJSON(document.state));
  const branches = document.branches.map((branch, index) => ({
    ...branch,
    state: at(`branches.${index}.state`, () => agentStateCodec.fromJSON(branch.state)),
  }));
  const runs = document.runs.map((run, index) =>
    at(`runs.${index}`, () => executionStateCodec.fromJSON(run)),
  );
  const checkpoints = checkpointsOf(document, [state, ...branches.map((branch) => branch.state)]);
  const executionStatus = state.execution?.status ?? null;
  const head = { id, title, agentName, parentId, createdAt, updatedAt, queue, draft, executionStatus };
  return { record: { ...head, status: 'active', state, branches, checkpoints }, runs, files };
}

function parsed(text: string): unknown {
  const json = readJson(text);
  if (!json.ok) throw errors.stateInvalid({ path: '', what: json.what });
  return json.value;
}

function checked(given: unknown): SessionDocument {
  validate(anyDocumentSchema, given, '');
  return validate(sessionDocumentSchema, ownJson(migrateChain(documentChain, given, '')), '');
}

/**
 * Reads the checkpoints. Messages that are also in a state are the same objects, so that they are stored
 * once.
 */
function checkpointsOf(
  document: SessionDocument,
  states: readonly AgentState[],
): SessionRecord['checkpoints'] {
  const known = new Map<string, Message>();
  for (const { context } of states)
    for (const { messages } of context.store.sections)
      for (const message of messages) known.set(JSON.stringify(takeMessage(message)), message);
  const table = document.messages.map((body, index) => {
    const message = putMessage(body, `messages.${index}`);
    return known.get(JSON.stringify(takeMessage(message))) ?? message;
  });
  return document.checkpoints.map(({ messageId, sections, plugins }, index) => ({
    messageId,
    store: {
      sections: sections.map(({ name, messages }, place) => ({
        name,
        messages: messagesOf(table, messages, `checkpoints.${index}.sections.${place}.messages`),
      })),
    },
    plugins: putPlugins(plugins, `checkpoints.${index}.plugins`),
  }));
}

/** Adds the path of a part to the errors of reading it. */
function at<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const inner = thrown.data['path'];
    const whole = typeof inner === 'string' && inner !== '' ? `${path}.${inner}` : path;
    throw new AgentError(thrown.code, `In ${path}: ${thrown.message}`, {
      data: { ...thrown.data, path: whole },
      cause: thrown,
    });
  }
}
