import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { answers } from './answers.ts';
import { fitAnswer, type QuestionAnswer } from './fit-answer.ts';
import { type AskedSession, invalid } from './places.ts';
import { answerShape, type QuestionInputs, questionShapes, schemaOf } from './question-shapes.ts';

type Name = keyof QuestionInputs;

const descriptions: Readonly<Record<Name, string>> = {
  runs: 'Lists the runs of the agents: request, status, reason of the end, steps, tokens, cost and errors of each.',
  whyStopped:
    'Says why a run stopped: the signal that decided, other and overridden signals, and all errors with their steps.',
  findings:
    'Says what went wrong or is remarkable inside a run: a sentence, a remedy, the place and the evidence of each finding. Ask this first.',
  costOf: 'Tells tokens, cost and time of a run, of each step, and of each subagent with its id.',
  promptAt:
    'Shows what a step sent to the model: settings, system prompt, tools and messages, and its answer.',
  leftOut:
    'Lists the messages of the conversation that a step did not send to the model, with the reason of each.',
  stateAt: 'Shows the state of the agent at the end of a step, at a path.',
  whoWrote:
    'Lists the events of a run that changed a path of the state, in order: who, in which step, before and after.',
  diff: 'Lists the differences of the state between the ends of two steps.',
};

/** A question about recorded runs, in the form of a tool. */
export type Question = {
  /** Name of letters, e.g. `whyStopped`. */
  readonly name: Name;
  readonly description: string;
  /** Its input and its answer as JSON Schema. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /**
   * The answer: without secrets, and at most 2 kB of JSON. Give its `more` as `after` to read on.
   * @throws AgentError `question-invalid` for an input that does not fit, and for a session, run, step or path that is
   * not there; the message names what is there.
   */
  readonly ask: (input: unknown) => QuestionAnswer;
};

/** The questions about sessions. `sessions` is called for each question, so that live ones are as they are then. */
export function questionsAbout(sessions: () => readonly AskedSession[]): readonly Question[] {
  return (Object.keys(questionShapes) as Name[]).map((name) => ({
    name,
    description: descriptions[name],
    inputSchema: schemaOf(questionShapes[name]),
    outputSchema: schemaOf(answerShape),
    ask: (input) => ask(name, sessions(), input),
  }));
}

function ask<Asked extends Name>(
  name: Asked,
  sessions: readonly AskedSession[],
  input: unknown,
): QuestionAnswer {
  const read = questionShapes[name].safeParse(input ?? {});
  if (!read.success) {
    const issue = read.error.issues[0];
    const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
    throw invalid(`The input of ${name} does not fit${where}: ${issue?.message ?? 'it is no object'}.`);
  }
  const given = read.data as QuestionInputs[Asked] & { readonly after?: string | undefined };
  return fitAnswer(answers[name](sessions, given), given.after);
}
