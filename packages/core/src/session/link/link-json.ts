import { fromJSON, toJSON } from '../../graph/document/agent-state.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { TabDocument } from '../machine/session-model.ts';
import { type LinkMessage, opened, sealed } from './protocol.ts';

/** Writes a message of a link as JSON, for a connection that carries text. */
export function linkToJSON(message: LinkMessage): JsonValue {
  const written =
    message.type === 'document' ? { ...message, document: writtenDocument(message.document) } : message;
  return sealed(written as LinkMessage) as unknown as JsonValue;
}

/**
 * Reads a message that {@link linkToJSON} wrote; null for one of another format.
 * @throws AgentError `state-invalid` for a document that is none
 */
export function linkFromJSON(value: JsonValue): LinkMessage | null {
  const message = opened(value);
  return message?.type === 'document' ? { ...message, document: readDocument(message.document) } : message;
}

function writtenDocument({ state, tree, ...document }: TabDocument): unknown {
  const branches = tree.branches.map((branch) => ({ ...branch, state: toJSON(branch.state) }));
  return { ...document, state: toJSON(state), tree: { ...tree, branches } };
}

function readDocument({ state, tree, ...document }: TabDocument): TabDocument {
  const branches = tree.branches.map((branch) => ({ ...branch, state: fromJSON(branch.state) }));
  return { ...document, state: fromJSON(state), tree: { ...tree, branches } };
}
