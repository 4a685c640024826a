import { definePlugin, type Plugin } from '@vitrine/core';
import * as z from 'zod';
import { call, toRome, trains } from './faulty-agent.ts';
import { type HiddenFault, readerOf } from './hidden-fault.ts';

/** The plugin that keeps the seat which a traveller likes. */
const seats = (isMended: boolean): Plugin =>
  definePlugin({
    id: 'seats',
    state: z.object({ likes: z.string() }),
    initial: { likes: 'nothing' },
    prepare: (ctx) =>
      isMended ? { context: [{ name: 'Seat', content: `likes: ${ctx.get()?.likes ?? 'nothing'}` }] } : {},
  });
/** The plugin that tells the model what is new at the railway. */
const notices = (content: string): Plugin =>
  definePlugin({
    id: 'notices',
    state: z.unknown(),
    prepare: () => ({ context: [{ name: 'Notices', content }] }),
  });

/** Agents whose fault lies in a plugin, a setting, the format or the model. */
export const hiddenSetupFaults: readonly HiddenFault[] = [
  {
    id: 'untold-seat',
    title: 'It asks what I told it last week',
    cause: 'The plugin `seats` keeps the seat that the traveller likes, and never tells it to the model.',
    mend: 'Give the plugin a `prepare` that adds the seat to the context of each request.',
    question: 'Which seat should I take?',
    plugins: { seats: { version: 1, revision: 1, data: { likes: 'window' } } },
    line: 'it proposes a "window" seat',
    means: { says: 'window' },
    change: 'the state of plugin `seats` told to the model',
    create: (isMended = false) =>
      readerOf(
        ({ all }) =>
          all.includes('window') ? 'Take a window seat, as you like.' : 'Which seat do you like?',
        { plugins: [seats(isMended)] },
      ),
  },
  {
    id: 'old-strike',
    title: 'It speaks of a strike that ended last week',
    cause: 'The plugin `notices` adds a notice to each request that nobody has taken out.',
    mend: 'Let `prepare` of the plugin read the notices of today.',
    question: 'When does the first train from Milan to Rome leave?',
    line: 'it no longer speaks of a "strike"',
    means: { doesNotSay: 'strike' },
    change: 'plugin `notices` off',
    create: (isMended = false) =>
      readerOf(
        ({ all, result }) => {
          if (all.includes('Strike')) return 'None leaves, because of a strike.';
          return result === null ? call('find_trains', toRome) : 'IC 1 leaves at 07:05.';
        },
        {
          tools: [trains],
          plugins: [notices(isMended ? 'All trains run.' : 'Strike: no train runs today.')],
        },
      ),
  },
  {
    id: 'thoughtless',
    title: 'It names the first train, and not the cheapest',
    cause: 'The setting `reasoning` is off, so the model compares nothing.',
    mend: 'Remove `reasoning` from `llmConfig.settings`, or choose a low level.',
    question: 'Which is the cheapest train from Milan to Rome?',
    line: 'it names "IC 3"',
    means: { says: 'IC 3' },
    change: 'setting `reasoning` at its default',
    create: (isMended = false) =>
      readerOf(
        ({ request, result }) => {
          if (result === null) return call('find_trains', toRome);
          return request.settings['reasoning'] === 'off'
            ? 'IC 1 goes to Rome for 59 euros.'
            : 'The cheapest is IC 3, for 29 euros.';
        },
        {
          systemPrompt: 'Help people to plan their journeys.',
          tools: [trains],
          llmConfig: { settings: isMended ? {} : { reasoning: 'off' } },
        },
      ),
  },
  {
    id: 'no-way-out',
    title: 'It invents a platform',
    cause: 'The format of the answer wants a number, so the model cannot say that it does not know it.',
    mend: "Let the schema allow an unknown platform, as in `z.union([z.number(), z.literal('unknown')])`.",
    question: 'Which platform does IC 1 leave from?',
    line: 'it admits that the platform is "unknown"',
    means: { says: 'unknown' },
    change: 'the format of the answer off',
    create: (isMended = false) =>
      readerOf(
        ({ request: { responseFormat } }) => {
          if (responseFormat === null) return 'The platform is still unknown.';
          const canSayUnknown = JSON.stringify(responseFormat).includes('unknown');
          return canSayUnknown ? '{"platform":"unknown"}' : '{"platform":4}';
        },
        {
          responseFormat: z.object({
            platform: isMended ? z.union([z.number(), z.literal('unknown')]) : z.number(),
          }),
        },
      ),
  },
  {
    id: 'small-model',
    title: 'It sends me to the wrong Frankfurt',
    cause: 'The model is a small one, which mixes up cities of the same name.',
    mend: 'Set `llmConfig.model` to the larger model.',
    question: 'I have a flight from Frankfurt. Which train do I take?',
    line: 'it leads to Frankfurt "am Main"',
    means: { says: 'am Main' },
    triedModel: 'cities-large',
    change: 'model: cities-large',
    create: (isMended = false) =>
      readerOf(
        ({ request: { model } }) =>
          model === 'cities-small'
            ? 'Take RE 1 to Frankfurt (Oder).'
            : 'Take ICE 72 to Frankfurt am Main, which has the airport.',
        { llmConfig: { model: isMended ? 'cities-large' : 'cities-small', settings: {} } },
      ),
  },
];
