import type { TabMessage } from './tab-message.ts';

/** What came of a command, as its runner tells it. */
export type TabAnswer = Extract<TabMessage, { readonly type: 'answer' }>;

/** Answers that wait until what they tell of is shown. */
export type HeldAnswers = {
  readonly add: (answer: TabAnswer) => void;
  /** Gives out those that are shown by the message of this number, or all. */
  readonly release: (shown: number) => void;
};

export function createHeldAnswers(onAnswer: (answer: TabAnswer) => void): HeldAnswers {
  let held: readonly TabAnswer[] = [];
  return {
    add(answer) {
      held = [...held, answer];
    },
    release(shown) {
      const due = held.filter(({ n }) => n <= shown);
      held = held.filter((answer) => !due.includes(answer));
      due.forEach(onAnswer);
    },
  };
}
