import type { AgentState } from '@vitrine/core/internal/graph/types';
import { text } from '@vitrine/core/internal/graph/message';
import { defineDetector } from './detector.ts';
import { lastQuestion, listNames, quoteName } from './wording.ts';

const most = { facts: 20, characters: 20_000, characterOfFact: 80 } as const;

/** A subagent whose task lacks the facts of the question. */
export const subagentUninformed = defineDetector({
  code: 'subagent-uninformed',
  area: 'context',
  severity: 'warning',
  finds:
    'A subagent whose task and prompt have none of the numbers, names and addresses in the question of its parent. When only some are missing it is a note.',
  reads: { 'subagent-start': ['name', 'child'] },
  needs: ['prompt'],
  watch:
    () =>
    ({ event, agent }) => {
      const question = lastQuestion(agent);
      const known = factsIn(question.slice(0, most.characters));
      if (known.length === 0) return null;
      const given = `${event.child.context.systemPrompt}\n${textOf(event.child)}`;
      const missing = known.filter((fact) => !given.includes(fact));
      if (missing.length === 0) return null;
      const isAll = missing.length === known.length;
      return {
        severity: isAll ? 'warning' : 'note',
        sentence: `The task of subagent ${quoteName(event.name)} does not mention ${listNames(missing.slice(0, 4).map(quoteName))}, which the question does; a subagent sees its own task and prompt only.`,
        remedy:
          'Tell the parent in its system prompt to repeat every fact in the task, or give the subagent a tool that reads it.',
        evidence: {
          before: question.slice(0, 2000),
          after: textOf(event.child).slice(0, 2000),
          who: event.name,
          missing,
        },
      };
    },
});

/** Facts that a task can lack: words in quotes, numbers, addresses and names of files. */
function factsIn(question: string): readonly string[] {
  const inQuotes = question
    .split('"')
    .filter((_part, index, all) => index % 2 === 1 && index < all.length - 1);
  const words = question
    .split(/\s/)
    .map(bare)
    .filter((word) => /\d|@|:\/\/|\w\.\w/.test(word));
  const found = [...words, ...inQuotes].filter(({ length }) => length > 1 && length <= most.characterOfFact);
  return [...new Set(found)].slice(0, most.facts);
}

/** A word without the punctuation around it. */
function bare(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && isMark(word[from])) from++;
  while (to > from && isMark(word[to - 1])) to--;
  return word.slice(from, to);
}

function isMark(character: string | undefined): boolean {
  return character !== undefined && '.,;:!?()[]"\''.includes(character);
}

function textOf({ context }: AgentState): string {
  return context.store.sections.flatMap(({ messages }) => messages.map(text)).join('\n');
}
