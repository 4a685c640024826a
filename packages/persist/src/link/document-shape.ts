import type { Check, ValueOf } from '@vitrine/core/internal/kit/check';
import * as is from '@vitrine/core/internal/kit/check';
import { fromJSON, toJSON } from '@vitrine/core/internal/graph/document/agent-state';
import { type StateDocument, takeMessage } from '@vitrine/core/internal/graph/document/document';
import { readJsonAs } from '@vitrine/core/internal/graph/document/shape';
import * as nouns from '@vitrine/core/internal/graph/shapes';
import { section } from '@vitrine/core/internal/graph/message-store';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import * as errors from '@vitrine/core/internal/kit/errors';
import { sharedLength } from '@vitrine/core/internal/kit/memoize';
import type { TabDocument } from '@vitrine/core/internal/session/machine/session-model';

const places = is.list(is.count);
const anything = is.list(is.json as Check<unknown>);
/** The document of a state whose messages are places, or JSON. */
const stateWith = <Messages>(messages: Check<Messages>) =>
  is.loose<{ readonly [field: string]: unknown; readonly messages: Messages }>({ messages });

/**
 * A document as JSON. Its states have most messages in common, so each message is written once: in the main state or in
 * `others`. Branches and checkpoints name places in both lists; a checkpoint begins with messages of the main state.
 */
const writtenDocument = is.objectOf({
  journalId: is.text,
  earlier: is.list(is.text),
  state: stateWith(anything),
  others: anything,
  branches: is.list(is.objectOf({ id: is.text, leftAt: is.timestamp, state: stateWith(places) })),
  checkpoints: is.list(
    is.objectOf({
      messageId: is.text,
      plugins: nouns.plugins,
      sections: is.list(is.objectOf({ name: is.text, shared: is.count, rest: places })),
    }),
  ),
});

export function writeTabDocument({
  journalId,
  earlier,
  state,
  tree,
}: TabDocument): ValueOf<typeof writtenDocument> {
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

/** Reads a document that {@link writeTabDocument} wrote. @throws AgentError `state-invalid` for one that is none */
export function readTabDocument(written: unknown): TabDocument {
  const { journalId, earlier, ...document } = readJsonAs(writtenDocument, written, 'document');
  const state = fromJSON(document.state);
  const all = [...document.state.messages, ...document.others];
  const messages: Message[] = [];
  const writtenAt = (place: number): unknown => {
    if (place < all.length) return all[place];
    throw errors.stateInvalid({ path: 'document', what: `it names message ${place} of ${all.length}` });
  };
  const messageAt = (place: number): Message =>
    (messages[place] ??= readJsonAs(nouns.message, writtenAt(place), 'document'));
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
