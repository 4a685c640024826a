import { defineTool, type Tool } from '@vitrine/core';
import * as z from 'zod/mini';

const label = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));
const option = z.object({
  label: label.check(z.describe('The choice, in a few words')),
  description: z.optional(z.string().check(z.maxLength(500), z.describe('The consequence of the choice'))),
});
const question = z.object({
  question: z.string().check(z.trim(), z.minLength(1), z.maxLength(500)),
  header: z.optional(z.string().check(z.maxLength(30), z.describe('The topic in a word or two'))),
  options: z.array(option).check(z.minLength(2), z.maxLength(8)),
  multiSelect: z.optional(z.boolean().check(z.describe('True when several options may be chosen'))),
});
const asked = z.object({ questions: z.array(question).check(z.minLength(1), z.maxLength(4)) });

const answer = z.pipe(
  z.object({
    question: z.string().check(z.maxLength(500)),
    selected: z.array(label).check(z.maxLength(8)),
    other: z.optional(z.string().check(z.trim(), z.maxLength(4000))),
  }),
  z.transform(({ question, selected, other = '' }) => ({
    question,
    selected,
    ...(other !== '' && { other }),
    // A model takes an empty list for "none of them".
    ...(other === '' && selected.length === 0 && { skipped: true as const }),
  })),
);
const answered = z.object({ answers: z.array(answer).check(z.minLength(1), z.maxLength(4)) });

/**
 * A tool by which the model asks the person 1 to 4 questions with options. The call waits for its answer, also over
 * reloads and on other devices; `<Questions>` of `@vitrine/react/components` shows it. Each answer has the chosen options
 * and a text of the person's own; a question without either is told as skipped.
 */
export function askUser(): Tool<z.input<typeof asked>, z.output<typeof answered>, 'ask_user'> {
  return defineTool({
    name: 'ask_user',
    description:
      'Asks the person 1 to 4 questions, each with 2 to 8 options. Use it when you cannot decide something yourself. The person may also answer in other words, which are `other` of the answer, or skip a question; take no skipped question for a yes. Do not add an option "Other".',
    input: asked,
    output: answered,
  }) as Tool<z.input<typeof asked>, z.output<typeof answered>, 'ask_user'>;
}
