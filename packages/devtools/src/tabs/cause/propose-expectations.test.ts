import { AgentState } from '@vitrine/core';
import { expect, it } from 'vitest';
import { proposeExpectations } from './propose-expectations.ts';

const run = AgentState.withUserMessage(AgentState.create(), 'Hello');

it.each([
  ['It says "not known"', { says: 'not known' }],
  ['It never says "known"', { doesNotSay: 'known' }],
  ['It doesn\'t say "your order"', { doesNotSay: 'your order' }],
  ["It says “don't worry” at the end", { says: "don't worry" }],
  ["It says 'by train'", { says: 'by train' }],
  ['It must not say `null`', { doesNotSay: 'null' }],
])(
  'the words in %s are those that are quoted, and a negation is one outside of them',
  async (line, meant) => {
    const proposed = await proposeExpectations(line, run, []);
    const said = proposed.filter((one) => 'says' in one || 'doesNotSay' in one);
    expect(said).toEqual([{ ...meant, title: line }]);
  },
);

it('a line without quotes proposes what a model judges last', async () => {
  const proposed = await proposeExpectations('Be polite', run, []);
  expect(proposed.at(-1)).toEqual({ judge: 'Be polite', title: 'Be polite' });
});
