import type { TabMessage } from './tab-message.ts';

/** The answer of the leader to a command. */
export type TabAnswer = Extract<TabMessage, { readonly type: 'answer' }>;

/** Answers that wait until the state they refer to is shown. */
export type HeldAnswers = {
  readonly add: (answer: TabAnswer) => void;
  /** Releases the answers whose message number is at most `shown`; `Infinity` releases all. */
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
