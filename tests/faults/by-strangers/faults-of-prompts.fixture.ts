import { AgentState, defineAgent, guard, StopSignal } from '@vitrine/core';
import * as z from 'zod';
import { call, type Fault, modelThatReads, tool } from './reading-model.fixture.ts';

const contradiction: Fault = {
  name: 'prompt-contradicts-itself',
  part: /German/,
  wish: { title: 'it should answer in my language', says: 'Hello' },
  cause: 'The prompt asks for the language of the person, and three paragraphs later for German.',
  messages: ['Hi, is anybody there?'],
  agent: (_world, mended) =>
    defineAgent({
      name: 'reception',
      systemPrompt: [
        'You are the reception of a hotel.',
        'Answer in the language of the guest.',
        'Be polite and short.',
        ...(mended ? [] : ['Always answer in German.']),
      ].join('\n\n'),
      inference: modelThatReads(({ prompt }) =>
        prompt.includes('in German') ? 'Guten Tag! Wie kann ich helfen?' : 'Hello! How can I help you?',
      ),
    }),
};

const leakedExample: Fault = {
  name: 'example-in-the-prompt',
  part: /A-1001|Example/,
  wish: { title: 'it must not invent an order', doesNotSay: 'A-1001' },
  cause: 'The example of the prompt holds an order, which the model takes for that of the person.',
  messages: ['Where is my parcel?'],
  agent: (_world, mended) =>
    defineAgent({
      name: 'parcels',
      systemPrompt: `You tell people where their parcels are. Ask for the number when you do not know it.

# Example
${mended ? 'Person: Where is it? You: Please tell me the number.' : 'Person: Where is it? You: Order A-1001 comes on Friday.'}

# Tone
Friendly and short.`,
      inference: modelThatReads(({ prompt }) =>
        prompt.includes('A-1001')
          ? 'Order A-1001 comes on Friday.'
          : 'Please tell me the number of your order.',
      ),
    }),
};

const outdatedWish: Fault = {
  name: 'instruction-of-an-earlier-task',
  part: /French/,
  wish: { title: 'it should answer in English', doesNotSay: 'Bonjour' },
  cause: 'An earlier message asked for French for one exercise, and the model goes on with it.',
  messages: [
    'For this exercise, answer in French: say good day.',
    'Thanks, that was it.',
    'Write a greeting to my boss.',
  ],
  agent: (_world, mended) =>
    defineAgent({
      name: 'writer',
      systemPrompt: mended
        ? 'A wish for a language holds for one answer. Then use English.'
        : 'You write texts.',
      inference: modelThatReads(({ all, prompt, asked }) => {
        if (asked.startsWith('Thanks')) return 'You are welcome.';
        const isFrench =
          asked.includes('French') || (all.includes('in French') && !prompt.includes('English'));
        return isFrench ? 'Bonjour !' : 'Good day!';
      }),
    }),
};

const stopSequence: Fault = {
  name: 'leftover-stop-sequence',
  part: /stop ?[sS]equence/,
  wish: { title: 'it should list three steps', says: '3. Bake' },
  cause: 'A stop sequence of an older prompt ends the answer at the first blank line.',
  messages: ['How do I make bread?'],
  agent: (_world, mended) =>
    defineAgent({
      name: 'cook',
      llmConfig: { settings: mended ? { temperature: 0 } : { temperature: 0, stopSequences: ['\n\n'] } },
      inference: modelThatReads(({ request }) => {
        const whole = '1. Mix\n\n2. Knead\n\n3. Bake';
        const stops = (request.settings['stopSequences'] ?? []) as string[];
        return stops.reduce((text, stop) => text.split(stop)[0] ?? '', whole);
      }),
    }),
};

const fewTokens: Fault = {
  name: 'too-few-output-tokens',
  part: /output limit|maxOutputTokens/,
  wish: { title: 'it should name the total', says: 'Total: 96' },
  cause: 'The limit of 16 output tokens cuts the answer before its last line.',
  messages: ['Add up my bill: 30, 42 and 24.'],
  agent: (_world, mended) =>
    defineAgent({
      name: 'cashier',
      llmConfig: { settings: { maxOutputTokens: mended ? 400 : 16 } },
      inference: modelThatReads(({ request }) =>
        Number(request.settings['maxOutputTokens'] ?? 400) < 40
          ? { text: 'Your bill has three lines: 30, 42 and', finishReason: 'length' }
          : 'Your bill has three lines: 30, 42 and 24. Total: 96',
      ),
    }),
};

const pingPong: Fault = {
  name: 'subagents-pass-work-back-and-forth',
  part: /writer/,
  wish: { title: 'it should give me the text', says: 'Welcome to Bern' },
  cause:
    'The writer waits for the review and the reviewer for a better draft, so the lead asks both until it stops.',
  messages: ['Write a greeting for our web page.'],
  agent(_world, mended) {
    const writer = defineAgent({
      name: 'writer',
      description: 'Writes texts',
      systemPrompt: mended
        ? 'You write texts.'
        : 'You write texts. A text is final when the reviewer has approved it.',
      inference: modelThatReads(({ prompt }) =>
        prompt.includes('approved')
          ? 'Not final: the reviewer has to approve it.'
          : 'Final: Welcome to Bern!',
      ),
    });
    const reviewer = defineAgent({
      name: 'reviewer',
      description: 'Reviews texts',
      systemPrompt: 'You review texts. Only final texts can be approved.',
      inference: modelThatReads(({ asked }) =>
        asked.includes('Not final') ? 'Not approved: the text is not final.' : 'Approved.',
      ),
    });
    return defineAgent({
      name: 'editor',
      subagents: [writer, reviewer],
      budget: { maxSteps: 8 },
      inference: modelThatReads(({ results }) => {
        const last = results.at(-1);
        const text = results.findLast((result) => result.text.includes('Final:'))?.text;
        if (last?.text.includes('Approved.')) return `Here it is: ${text ?? ''}`;
        const isDraft = last?.text.includes('inal:') ?? false;
        return isDraft
          ? call('delegate', { agent: 'reviewer', task: `Review this: ${last?.text}` })
          : call('delegate', { agent: 'writer', task: 'Write a greeting' });
      }),
    });
  },
};

const withoutContext: Fault = {
  name: 'subagent-without-context',
  part: /booker/,
  wish: { title: 'it should book the hotel that I named', says: 'Adler' },
  cause: 'The lead passes on a task without the name of the hotel, and the subagent sees nothing else.',
  messages: ['I like the hotel Adler.', 'Book it for tonight.'],
  agent(world, mended) {
    const booker = defineAgent({
      name: 'booker',
      description: mended ? 'Books hotels. It sees the task only, so name the hotel.' : 'Books hotels',
      tools: [
        tool(
          world,
          'book',
          'Books a hotel',
          z.object({ hotel: z.string() }),
          ({ hotel }) => `booked ${hotel}`,
        ),
      ],
      inference: modelThatReads(({ asked, results: [booked] }) =>
        booked
          ? `Done: ${booked.text}`
          : call('book', { hotel: asked.includes('Adler') ? 'Adler' : 'Central' }),
      ),
    });
    return defineAgent({
      name: 'travel',
      subagents: [booker],
      inference: modelThatReads(({ asked, results: [done], request }) => {
        if (!asked.includes('Book')) return 'A fine house.';
        if (done) return `It is arranged. ${done.text}`;
        const knows = JSON.stringify(request.tools).includes('name the hotel');
        return call('delegate', {
          agent: 'booker',
          task: knows ? 'Book the hotel Adler for tonight' : 'Book it for tonight',
        });
      }),
    });
  },
};

const earlyGuard: Fault = {
  name: 'guard-that-stops-too-early',
  part: /patience/,
  wish: { title: 'it should write the report', says: 'Report' },
  cause: 'The guard `patience` stops after two steps, and the report needs three.',
  messages: ['Write a report on sales and costs.'],
  agent: (world, mended) =>
    defineAgent({
      name: 'analyst',
      hooks: [
        guard('patience', (state) =>
          AgentState.stepCount(state) >= (mended ? 9 : 2)
            ? StopSignal.stopRequested({ message: 'Enough steps' })
            : null,
        ),
      ],
      tools: [
        tool(world, 'sales', 'Reads sales', z.object({}), () => 900, { idempotent: true }),
        tool(world, 'costs', 'Reads costs', z.object({}), () => 700, { idempotent: true }),
      ],
      inference: modelThatReads(({ results: [sales, costs] }) => {
        if (!sales) return call('sales', {});
        return costs ? `Report: ${sales.text} earned, ${costs.text} spent.` : call('costs', {});
      }),
    }),
};

const twinTools: Fault = {
  name: 'two-tools-for-one-thing',
  part: /search\b/,
  wish: { title: 'it should search in the new manual', says: 'version 3' },
  cause: 'An old tool with nearly the same description comes first, and the model takes it.',
  messages: ['How do I install it?'],
  agent(world, mended) {
    const old = tool(
      world,
      'search',
      'Searches the manual',
      z.object({ q: z.string() }),
      () => 'For version 1: run setup.exe',
    );
    const present = tool(
      world,
      'searchManual',
      'Searches in the manual',
      z.object({ q: z.string() }),
      () => 'For version 3: run npm install',
    );
    return defineAgent({
      name: 'support',
      tools: mended ? [present] : [old, present],
      inference: modelThatReads(({ results: [hit], request }) =>
        hit
          ? `${String(hit.output)}.`
          : call(request.tools.find(({ name }) => name.startsWith('search'))?.name ?? 'search', {
              q: 'install',
            }),
      ),
    });
  },
};

/** Faults in prompts, descriptions, messages, settings, guards and delegations. */
export const faultsOfPrompts: readonly Fault[] = [
  contradiction,
  leakedExample,
  outdatedWish,
  stopSequence,
  fewTokens,
  pingPong,
  withoutContext,
  earlyGuard,
  twinTools,
];
