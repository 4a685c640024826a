import { AgentState, Message } from '@vitrine/core';
import { type Expectation, meets } from '@vitrine/inspect';

const negative = /\b(?:not|never|no|without|stop)\b|n't/i;
const quote = /(?<![\p{L}\d])["“'`](.{2,60}?)["”'`](?![\p{L}\d])/gu;
const most = 4;

/**
 * Proposes what a line about an agent may mean for a run, the most likely first. Quoted words, names that the person
 * has given, tools of the run and figures are read; a rubric for a model is always the last one.
 */
export async function proposeExpectations(
  line: string,
  run: AgentState,
  tools: readonly string[],
): Promise<readonly Expectation[]> {
  const title = line.trim();
  const isNegative = negative.test(line.replaceAll(quote, ''));
  const quoted = [...line.matchAll(quote)].map(([, words = '']) => words);
  const called = AgentState.steps(run).flatMap(({ toolExecutions }) =>
    toolExecutions.map(({ toolCall }) => toolCall.name),
  );
  const known = [...new Set([...called, ...tools])];
  const lower = line.toLowerCase();
  const meant = known.filter((name) =>
    name
      .toLowerCase()
      .split(/[^a-z0-9]+|_/)
      .some((word) => word.length > 2 && lower.includes(word)),
  );
  const figure = /\d+(?:\.\d+)?/.exec(line)?.[0];
  const isOfCost = /\b(?:cost|costs|cheap|cheaper|money|cents?)\b|[$€]/i.test(line);
  const said = quoted.length > 0 ? quoted : namesIn(run);
  const proposed: Expectation[] = [
    ...quoted.map((words) => (isNegative ? { doesNotSay: words } : { says: words })),
    ...meant.map((tool) => (isNegative ? { neverCalls: { tool } } : { calls: { tool } })),
    ...(figure === undefined
      ? []
      : [
          isOfCost
            ? { costsAtMost: Number(figure) }
            : { asksAtMost: Math.max(1, Math.floor(Number(figure))) },
        ]),
    ...said.slice(0, most).map((words) => (isNegative ? { doesNotSay: words } : { says: words })),
    ...known.slice(0, most).map((tool) => (isNegative ? { neverCalls: { tool } } : { calls: { tool } })),
    { endsWith: 'completed' as const },
  ].map((one) => ({ ...one, title }));
  const judged = await Promise.all(
    proposed.map(async (expectation) => ({ expectation, met: (await meets(run, expectation)).met })),
  );
  // A person complains about what the run does not do.
  const unmet = judged.filter(({ met }) => met === false);
  const others = judged.filter(({ met }) => met !== false);
  const all = [...unmet, ...others].map(({ expectation }) => expectation);
  const texts = new Set<string>();
  const single = all.filter((one) => !texts.has(JSON.stringify(one)) && texts.add(JSON.stringify(one)));
  return [...single, { judge: title, title }];
}

/** Names, figures and addresses that the person has given, latest first. */
function namesIn(run: AgentState): readonly string[] {
  const texts = AgentState.messages(run).flatMap((message) =>
    message.role === 'user' ? [Message.text(message)] : [],
  );
  return texts
    .reverse()
    .flatMap((text) =>
      text.split(/(?<=[.!?])\s+/).flatMap((sentence) =>
        sentence
          .split(/\s+/)
          .slice(1)
          .map((word) => word.replaceAll(/[\s.,;:!?()"“”]/g, ''))
          .filter((word) => /^\p{Lu}\p{L}+/u.test(word) || word.includes('@') || /\d{3,}/.test(word)),
      ),
    )
    .filter((word, index, all) => all.indexOf(word) === index);
}
