import type { Message } from '../../graph/message.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../graph/types.ts';
import { memoize, nothing } from '../../kit/memoize.ts';
import { total } from '../../kit/total.ts';
import { isOfUser, branchMessages, parentOf, placesIn, turnAt } from './branch-messages.ts';
import type { SessionTree } from './session-tree.ts';
import type { SessionBranch } from '../store/session-store.ts';

/** The alternatives at a message. */
export type MessageBranches = {
  /**
   * The ids of the alternatives on all branches, oldest first; an answer counts by its first message. Empty
   * for a message that is not on the active branch.
   */
  readonly ids: readonly string[];
  /** The index of the alternative on the active branch; -1 when there is none. */
  readonly index: number;
  /** The answers to a user message on all branches, oldest first, also while the active branch has no answer yet. */
  readonly answers: readonly string[];
};

const unknown: MessageBranches = { ids: nothing, index: -1, answers: nothing };

/** The alternatives of a message that is not on the active branch. */
export const noBranches = (): MessageBranches => unknown;

type Alternatives = ReadonlyMap<string, readonly Message[]>;

const oneBesideAnother = (parent: string): string => `user ${parent}`;
const answersTo = (messageId: string): string => `answer ${messageId}`;

const alternatives: (branches: readonly SessionBranch[]) => Alternatives = memoize((branches) => {
  const found = new Map<string, Message[]>();
  const add = (place: string, message: Message): void => {
    const known = found.get(place) ?? [];
    if (known.every(({ id }) => id !== message.id)) found.set(place, [...known, message]);
  };
  for (const { state } of branches) {
    const messages = branchMessages(state);
    messages.forEach((message, at) => {
      if (isOfUser(message)) add(oneBesideAnother(parentOf(messages, at)), message);
      else add(answersTo(messages[at - 1]?.id ?? ''), message);
    });
  }
  return found;
});

/**
 * The alternatives at each message of the active branch: the edits of a user message, or the other answers of
 * an answer.
 * The same function until a message is added or a branch is left.
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
  const begun = currentStep(state)?.outputMessages[0];
  // An answer without content is not shown yet, so it is none.
  const streaming = begun?.parts.length ? begun : null;
  return safely(finderOf(tree.branches)(branchMessages(state))(streaming));
}

type Find = (messageId: string) => MessageBranches;

const safely = memoize((find: Find): Find => total('branches', find, noBranches));

const finderOf = memoize((left: readonly SessionBranch[]) =>
  memoize((messages: readonly Message[]) => {
    const findSettled: Find = (id) => branchesOf(messages, alternatives(left), id);
    // The answer in progress is a new object with every delta.
    const live = new Map<string, Find>();
    return (streaming: Message | null): Find => {
      if (streaming === null || placesIn(messages).has(streaming.id)) return findSettled;
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
  const answers = mergeIds(others.get(answersTo(said?.id ?? '')) ?? [], answerHere);
  if (turn !== at || said === undefined)
    return { ids: answers, index: answers.indexOf(answerHere?.id ?? ''), answers: [] };
  const ids = mergeIds(others.get(oneBesideAnother(parentOf(messages, at))) ?? [], said);
  return { ids, index: ids.indexOf(messageId), answers };
}

/** The ids in order of creation, including that of the active branch. */
function mergeIds(left: readonly Message[], here: Message | null): readonly string[] {
  const all = here === null ? [...left] : [...left.filter(({ id }) => id !== here.id), here];
  return all.sort(byCreation).map(({ id }) => id);
}

function byCreation(a: Message, b: Message): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : 1;
}
