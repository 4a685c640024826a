import type { Message } from '../../graph/message.ts';
import { currentStep } from '../../graph/agent-state/views.ts';
import type { AgentState } from '../../graph/types.ts';
import { memoize } from '../../kit/memoize.ts';
import { type MessageBranches, noBranches } from './message-branches.ts';
import { isOfUser, line, parentOf, placesIn, turnAt } from './line.ts';
import type { SessionTree } from './session-tree.ts';
import type { SessionBranch } from '../stores/session-store.ts';

type Alternatives = ReadonlyMap<string, readonly Message[]>;

const oneBesideAnother = (parent: string): string => `user ${parent}`;
const answersTo = (messageId: string): string => `answer ${messageId}`;

/** The alternatives of the branches, by place. */
const alternatives: (branches: readonly SessionBranch[]) => Alternatives = memoize((branches) => {
  const found = new Map<string, Message[]>();
  const add = (place: string, message: Message): void => {
    const known = found.get(place) ?? [];
    if (known.every(({ id }) => id !== message.id)) found.set(place, [...known, message]);
  };
  for (const { state } of branches) {
    const messages = line(state);
    messages.forEach((message, at) => {
      if (isOfUser(message)) add(oneBesideAnother(parentOf(messages, at)), message);
      else add(answersTo(messages[at - 1]?.id ?? ''), message);
    });
  }
  return found;
});

/**
 * The alternatives at the place of each message of the active line: of what a person said, its edits; of an answer, the
 * others to the same message. The same function for as long as no message is added and no line is left.
 * @example
 * Conversation.branches(session.store.getState())(messageId).ids.length
 */
export function branches({
  state,
  tree,
}: {
  readonly state: AgentState;
  readonly tree: SessionTree;
}): (messageId: string) => MessageBranches {
  return finderOf(tree.branches)(line(state))(currentStep(state)?.outputMessages[0] ?? null);
}

type Find = (messageId: string) => MessageBranches;

const finderOf = memoize((left: readonly SessionBranch[]) =>
  memoize((messages: readonly Message[]) => {
    const settled: Find = (id) => branchesOf(messages, alternatives(left), id);
    // The answer that comes in is another object with every delta.
    const live = new Map<string, Find>();
    return (streaming: Message | null): Find => {
      if (streaming === null || placesIn(messages).has(streaming.id)) return settled;
      const known = live.get(streaming.id);
      if (known) return known;
      const all = [...messages, streaming];
      const find: Find = (id) => branchesOf(all, alternatives(left), id);
      live.set(streaming.id, find);
      return find;
    };
  }),
);

function branchesOf(messages: readonly Message[], others: Alternatives, messageId: string): MessageBranches {
  const at = placesIn(messages).get(messageId);
  if (at === undefined) return noBranches();
  const turn = turnAt(messages, at);
  const said = messages[turn];
  const answer = messages[turn + 1];
  const answerHere = answer === undefined || isOfUser(answer) ? null : answer;
  const answers = merged(others.get(answersTo(said?.id ?? '')) ?? [], answerHere);
  if (turn !== at || said === undefined)
    return { ids: answers, index: answers.indexOf(answerHere?.id ?? ''), answers: [] };
  const ids = merged(others.get(oneBesideAnother(parentOf(messages, at))) ?? [], said);
  return { ids, index: ids.indexOf(messageId), answers };
}

/** In order of creation, with that of the active line among them. */
function merged(left: readonly Message[], here: Message | null): readonly string[] {
  const all = here === null ? left : [...left.filter(({ id }) => id !== here.id), here];
  return all.toSorted(byCreation).map(({ id }) => id);
}

function byCreation(a: Message, b: Message): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : 1;
}
