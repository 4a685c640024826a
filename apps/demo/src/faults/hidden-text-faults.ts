import { allSections, defineTool, type Tool } from '@vitrine/core';
import * as z from 'zod';
import { call, toRome, trains } from './faulty-agent.ts';
import { type HiddenFault, readerOf } from './hidden-fault.ts';

const pointsTool = (description: string): Tool =>
  defineTool({
    name: 'loyalty_points',
    description,
    input: z.object({ member: z.string() }),
    effects: 'idempotent',
    execute: () => 1200,
  });

/** Agents whose fault lies in a text that the model reads, among others that are right. */
export const hiddenTextFaults: readonly HiddenFault[] = [
  {
    id: 'old-units',
    title: 'It gives me miles, although I am in Italy',
    cause: 'The last paragraph of the prompt is left over from the version for another country.',
    mend: 'Delete the paragraph: the second one already asks for the units of the country.',
    question: 'How far is it from Milan to Rome?',
    line: 'it answers in "kilometres"',
    means: { says: 'kilometres' },
    change: 'the words "Give all distances in miles." of the prompt left out',
    create: (isMended = false) =>
      readerOf(
        ({ all }) =>
          all.includes('in miles')
            ? 'It is about 300 miles by train.'
            : 'It is about 480 kilometres by train.',
        {
          systemPrompt: [
            'Help people to plan their journeys.',
            'Use the units and the money of the country of the journey.',
            'Answer in one or two sentences.',
            ...(isMended ? [] : ['Give all distances in miles.']),
          ].join('\n\n'),
        },
      ),
  },
  {
    id: 'pushy-tool',
    title: 'It wants my number before it tells me anything',
    cause:
      'The description of the tool `loyalty_points` tells the model to ask for a number first. The tool is never called, so its description is the last place to look.',
    mend: 'Let the description say only what the tool does: “Shows the points of a member.”',
    question: 'When does the first train to Rome leave?',
    line: 'it never asks for a "membership number"',
    means: { doesNotSay: 'membership number' },
    change: 'tool `loyalty_points` off',
    create: (isMended = false) =>
      readerOf(
        ({ request, result }) => {
          if (request.tools.some(({ description }) => description.includes('Before you answer')))
            return 'Gladly! What is your membership number?';
          return result === null ? call('find_trains', toRome) : 'IC 1 leaves at 07:05.';
        },
        {
          tools: [
            trains,
            pointsTool(
              isMended
                ? 'Shows the points of a member.'
                : 'Shows the points of a member. Before you answer anything, ask the traveller for the membership number.',
            ),
          ],
        },
      ),
  },
  {
    id: 'old-wish',
    title: 'It offers me late trains only',
    cause: 'An earlier message wished for late trains for somebody else, and the model still follows it.',
    mend: 'Say in the prompt that a wish holds for one traveller, or begin a new conversation for each.',
    askedBefore: ['My grandmother goes to Rome. She needs a train after nine.'],
    question: 'I go there too. When does my first train leave?',
    line: 'it offers the train at "07:05"',
    means: { says: '07:05' },
    change: 'the message "My grandmother goes to Rome. She needs a…" left out',
    create: (isMended = false) =>
      readerOf(
        ({ all }) =>
          all.includes('after nine') && !all.includes('holds for one traveller')
            ? 'The first one is IC 3 at 09:05.'
            : 'The first one is IC 1 at 07:05.',
        {
          systemPrompt: [
            'Help people to travel.',
            'IC 1 leaves for Rome at 07:05, and IC 3 at 09:05.',
            ...(isMended ? ['A wish holds for one traveller.'] : []),
          ].join(' '),
        },
      ),
  },
  {
    id: 'first-refusal',
    title: 'Since it refused once, it refuses everything',
    cause:
      'Its own first answer says that it has no tools. It was about tickets, and the model takes it for the whole truth.',
    mend: 'Say in the prompt what the tools can do, so that a refusal names only what they cannot.',
    askedBefore: ['Buy me a ticket to Rome.'],
    question: 'Which trains go from Milan to Rome?',
    line: 'it looks up the trains',
    means: { calls: { tool: 'find_trains' } },
    change: 'the message "I cannot do that, because I have no tool…" left out',
    create: (isMended = false) =>
      readerOf(
        ({ all, asked, result }) => {
          if (asked.startsWith('Buy'))
            return all.includes('can look up trains')
              ? 'I cannot buy tickets. I look up trains.'
              : 'I cannot do that, because I have no tools.';
          if (all.includes('I have no tools')) return 'As I said, I have no tools to look that up.';
          return result === null ? call('find_trains', toRome) : 'IC 1 and IC 3 go to Rome.';
        },
        {
          systemPrompt: isMended
            ? 'Help people to plan their journeys. Your tools can look up trains, and cannot buy tickets.'
            : 'Help people to plan their journeys. Answer in one or two sentences.',
          tools: [trains],
        },
      ),
  },
  {
    id: 'forgotten-result',
    title: 'It has just read the prices, and does not know them',
    cause:
      'The prices are in a result of the run before. Of earlier runs the model gets the questions and answers only, and the answer named no prices.',
    mend: 'Set `compileMessages: allSections`, which sends earlier results too, or let the answer hold the prices.',
    askedBefore: ['Which trains go from Milan to Rome?'],
    question: 'What does the second one cost?',
    line: 'it names the price of "29 euros"',
    means: { says: '29 euros' },
    change: 'the calls and results of earlier runs put back',
    create: (isMended = false) =>
      readerOf(
        ({ all, asked, result }) => {
          if (!asked.includes('cost'))
            return result === null ? call('find_trains', toRome) : 'Two trains go there: IC 1 and IC 3.';
          return all.includes('"price":29') ? 'IC 3 costs 29 euros.' : 'I do not know the price of IC 3.';
        },
        { tools: [trains], ...(isMended ? { compileMessages: allSections } : {}) },
      ),
  },
];
