import * as z from 'zod/mini';
import { fromJSON, toJSON } from '@vitrine/core/internal/graph/document/agent-state';
import {
  putMessage,
  type StateDocument,
  takeMessage,
  validate,
} from '@vitrine/core/internal/graph/document/document';
import { messageShape } from '@vitrine/core/internal/graph/document/message-shape';
import { count, timestamp } from '@vitrine/core/internal/graph/document/shape';
import { pluginsSchema } from '@vitrine/core/internal/graph/document/state-shape';
import { section } from '@vitrine/core/internal/graph/message-store';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import * as errors from '@vitrine/core/internal/kit/errors';
import { sharedLength } from '@vitrine/core/internal/kit/memoize';
import type { TabDocument } from '@vitrine/core/internal/session/machine/session-model';

const places = z.array(count);

/**
 * A document as JSON. Its states have most messages in common, so each message is written once: in the main state or in
 * `others`. Branches and checkpoints name places in both lists; a checkpoint begins with messages of the main state.
 */
const documentSchema = z.object({
  journalId: z.string(),
  earlier: z.array(z.string()),
  state: z.looseObject({ messages: z.array(z.unknown()) }),
  others: z.array(z.unknown()),
  branches: z.array(
    z.object({ id: z.string(), leftAt: timestamp, state: z.looseObject({ messages: places }) }),
  ),
  checkpoints: z.array(
    z.object({
      messageId: z.string(),
      plugins: pluginsSchema,
      sections: z.array(z.object({ name: z.string(), shared: count, rest: places })),
    }),
  ),
});

/** Writes a document as JSON. */
export function writtenDocument({
  journalId,
  earlier,
  state,
  tree,
}: TabDocument): z.infer<typeof documentSchema> {
  const main = writtenState(state);
  const others: unknown[] = [];
  const known = new Map(main.messages.map((message, place) => [JSON.stringify(message), place]));
  const placeOf = (message: unknown): number => {
    const text = JSON.stringify(message);
    const place = known.get(text) ?? main.messages.length + others.push(message) - 1;
    known.set(text, place);
    return place;
  };
  const branches = tree.branches.map((branch) => {
    const own = writtenState(branch.state);
    return { ...branch, state: { ...own, messages: own.messages.map(placeOf) } };
  });
  const checkpoints = tree.checkpoints.map(({ messageId, plugins, store }) => {
    const sections = store.sections.map(({ name, messages }) => {
      const shared = sharedLength(messages, section(state.context.store, name));
      return { name, shared, rest: messages.slice(shared).map((message) => placeOf(takeMessage(message))) };
    });
    return { messageId, plugins, sections };
  });
  return { journalId, earlier: [...earlier], state: main, others, branches, checkpoints };
}

function writtenState(state: AgentState): StateDocument & { readonly messages: unknown[] } {
  return toJSON(state) as StateDocument & { readonly messages: unknown[] };
}

/** Reads a document that {@link writtenDocument} wrote. @throws AgentError `state-invalid` for one that is none */
export function readTabDocument(written: unknown): TabDocument {
  const { journalId, earlier, ...document } = validate(documentSchema, written, 'document');
  const state = fromJSON(document.state);
  const all = [...document.state.messages, ...document.others];
  const messages: Message[] = [];
  const writtenAt = (place: number): unknown => {
    if (place < all.length) return all[place];
    throw errors.stateInvalid({ path: 'document', what: `it names message ${place} of ${all.length}` });
  };
  const messageAt = (place: number): Message =>
    (messages[place] ??= putMessage(validate(messageShape.schema, writtenAt(place), 'document')));
  const branches = document.branches.map((branch) => {
    const own = branch.state.messages.map(writtenAt);
    return { ...branch, state: fromJSON({ ...branch.state, messages: own }) };
  });
  const checkpoints = document.checkpoints.map(({ messageId, plugins, sections }) => {
    const lists = sections.map(({ name, shared, rest }) => {
      const begin = section(state.context.store, name).slice(0, shared);
      return { name, messages: [...begin, ...rest.map(messageAt)] };
    });
    return { messageId, plugins, store: { sections: lists } };
  });
  return { journalId, earlier, state, tree: { branches, checkpoints } };
}
