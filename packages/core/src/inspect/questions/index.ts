// Questions about recorded runs, as tools for agents that debug other agents.
export { type Question, questionsAbout } from './questions.ts';
export type { QuestionAnswer } from './fit-answer.ts';
export type { AskedSession } from './places.ts';
