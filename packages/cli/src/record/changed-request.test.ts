import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedJson } from './changed-request.ts';
import type { WireApi } from './wire/api.ts';
import { chatCompletions } from './wire/chat-completions.ts';
import { gemini } from './wire/gemini.ts';
import { messages } from './wire/messages.ts';
import { responses } from './wire/responses.ts';

const [prompt, question, output] = ['You are Looper.', 'Weather?', { degrees: 3 }];
const text = JSON.stringify(output);
const read = (api: WireApi) => (json: string) => api.request(JSON.parse(json) as never, '', new Map());

/** The same request in the form of each API. */
const requests: readonly (readonly [api: WireApi, body: object])[] = [
  [
    chatCompletions,
    {
      model: 'm',
      messages: [
        { role: 'system', content: prompt },
        {
          role: 'user',
          content: `<system-reminder>${question}`,
        },
        { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: text },
      ],
    },
  ],
  [
    responses,
    {
      instructions: prompt,
      input: [
        { role: 'user', content: [{ type: 'input_text', text: `<system-reminder>${question}` }] },
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: text },
      ],
    },
  ],
  [
    messages,
    {
      system: [{ type: 'text', text: prompt, cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: `<system-reminder>${question}` },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text }] }],
        },
      ],
    },
  ],
  [
    gemini,
    {
      systemInstruction: { parts: [{ text: prompt }] },
      contents: [
        { role: 'user', parts: [{ text: `<system-reminder>${question}` }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: { degrees: '3' } } }] },
      ],
    },
  ],
];

describe('a change of a recorded request', () => {
  it.each(requests.map(([api, body]) => [api.name, api, body] as const))(
    'a change of a text in %s leaves everything else as it was',
    (_name, api, body) => {
      const read = (json: string) =>
        api.request(JSON.parse(json) as never, '/models/m:generateContent', new Map());
      const degrees = api === gemini ? '3' : 3;
      const changes = [
        { of: 'system', before: prompt, after: 'You are Poet.' },
        { of: 'message', before: `<system-reminder>${question}`, after: '<system-reminder>Wind?' },
        { of: 'result', before: { degrees }, after: { degrees: api === gemini ? '30' : 30 } },
      ] as const;
      for (const change of changes) {
        const before = JSON.stringify(body);
        const after = changedJson(before, read, change);
        expect(after).not.toBe(before);
        const back = [
          ['Poet', 'Looper'],
          ['Wind?', 'Weather?'],
          ['30', '3'],
        ].reduce((all, [from, to]) => all.replace(from!, to!), after);
        expect(back).toBe(before);
      }
    },
  );

  it('a text that stands in several places is changed where it was said last', () => {
    const said = (content: string) => ({ role: 'user', content });
    const json = JSON.stringify({ model: 'aa', messages: [said('aa'), said('aa'), said('bb')], user: 'aa' });
    const change = { of: 'message', before: 'aa', after: 'ab' } as const;
    expect(changedJson(json, read(chatCompletions), change)).toBe(
      JSON.stringify({ model: 'aa', messages: [said('aa'), said('ab'), said('bb')], user: 'aa' }),
    );
  });

  it('a change within one of several blocks leaves the other blocks as they were', () => {
    const block = (text: string) => ({ type: 'text', text });
    const body = (second: string) => ({
      system: [block('You are Looper.'), { ...block(second), cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [block('Be "brief"\nhere.'), block('Weather?')] }],
    });
    const json = JSON.stringify(body('Answer in German.'));
    const request = read(messages)(json);
    const after = request.system!.replace('German', 'English');
    const change = { of: 'system', before: request.system!, after } as const;
    expect(changedJson(json, read(messages), change)).toBe(JSON.stringify(body('Answer in English.')));
    const asked = request.messages.at(-1)!.text;
    const brief = { of: 'message', before: asked, after: asked.replace('brief', 'long') } as const;
    expect(changedJson(json, read(messages), brief)).toBe(json.replace('brief', 'long'));
    const across = { of: 'system', before: request.system!, after: 'You speak German.' } as const;
    expect(() => changedJson(json, read(messages), across)).toThrow('no such text in one place');
  });

  it('a change within a block of random messages is made, and read as that change alone', () => {
    const piece = fc.string({
      unit: fc.constantFrom('a', 'b', '"', '\\', '\n', 'é'),
      minLength: 1,
      maxLength: 6,
    });
    const blocks = fc.array(piece, { minLength: 1, maxLength: 4 });
    const lists = fc.array(blocks, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lists, piece, fc.nat(), fc.nat(), (all, next, which, at) => {
        const body = (texts: readonly (readonly string[])[]) =>
          JSON.stringify({
            messages: texts.map((one) => ({
              role: 'user',
              content: one.map((text) => ({ type: 'text', text })),
            })),
          });
        const textsOf = (json: string) => read(messages)(json).messages.map(({ text }) => text);
        const chosen = which % all.length;
        const place = at % all[chosen]!.length;
        const changed = all.map((one, index) => (index === chosen ? one.with(place, next) : one));
        const [before, after] = [textsOf(body(all))[chosen]!, textsOf(body(changed))[chosen]!];
        const last = textsOf(body(all)).lastIndexOf(before);
        const result = changedJson(body(all), read(messages), { of: 'message', before, after });
        expect(textsOf(result)).toEqual(textsOf(body(all)).with(last, after));
      }),
    );
  });
});
