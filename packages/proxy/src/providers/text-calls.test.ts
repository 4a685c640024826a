import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatFrames } from './chat-frames.ts';
import { isObject } from '../kit/is-object.ts';
import { createTextCalls } from './text-calls.ts';
import { createOpenThoughts, createThinkTags } from './think-tags.ts';

const tools = new Map([
  ['read', { properties: { p: { type: 'string' } } }],
  ['add', { properties: { n: { type: 'number' } } }],
]);

/** Text and calls of an answer that comes in these pieces. */
function readPieces(pieces: readonly string[]): {
  text: string;
  thought: string;
  calls: readonly (readonly [string, unknown])[];
} {
  const reader = createTextCalls(tools);
  const all = [...pieces.flatMap((piece) => reader.add(piece)), ...reader.end()];
  const texts = all.flatMap((piece) => ('text' in piece ? [piece] : []));
  const join = (isThought: boolean): string =>
    texts
      .filter((piece) => piece.isThought === isThought)
      .map(({ text }) => text)
      .join('');
  return {
    text: join(false),
    thought: join(true),
    calls: all.flatMap((piece) => ('name' in piece ? [[piece.name, JSON.parse(piece.json)] as const] : [])),
  };
}

const one = '{"name":"read","arguments":{"p":"}</tool_call>"}}';
const two = '{"name": "add", "parameters": {"n": 2}}';

describe('calls in the text of an answer', () => {
  const read = ['read', { p: '}</tool_call>' }] as const;
  const add = ['add', { n: 2 }] as const;

  it.each([
    [
      'several tags',
      `Well.\n<tool_call>${one}</tool_call>\n<tool_call>\n${two}\n</tool_call>`,
      'Well.\n',
      [read, add],
    ],
    ['a tag that is not closed', `<tool_call>${two}`, '', [add]],
    ['a name without arguments', '<tool_call>add</tool_call>', '', [['add', {}]]],
    ['values by their schema', '<function=add>\n<parameter=n>\n2\n</parameter>\n</function>', '', [add]],
    ['an object in a function tag', '<function=add>{"n":2}</function>', '', [add]],
    ["a list behind Mistral's mark", `Well.[TOOL_CALLS] [${one}, ${two}]</s>`, 'Well.', [read, add]],
    ["a name behind Mistral's mark", '[TOOL_CALLS]add[CALL_ID]1[ARGS]{"n":2}', '', [add]],
    ['a name and its object alone', '[TOOL_CALLS]add{"n":2}', '', [add]],
    ["several behind Llama's mark", `<|python_tag|>${two}; ${one}<|eom_id|>`, '', [add, read]],
    ['a list of bare JSON', `[${two}]`, '', [add]],
    ['arguments as text', '<tool_call>{"name":"add","arguments":"{\\"n\\":2}"}</tool_call>', '', [add]],
  ] as const)('%s are calls, however the text is cut', (_name, text, rest, calls) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: text.length }), (size) => {
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        expect(readPieces(pieces)).toEqual({ text: rest, thought: '', calls });
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['a call of another tool', '<tool_call>{"name":"drop","arguments":{}}</tool_call>'],
    ['a quoted call', 'Write `<tool_call>{"name":"read","arguments":{}}</tool_call>`'],
    ['a call in a code block', `\`\`\`\n<tool_call>${two}</tool_call>\n\`\`\`\nThat is all.`],
    ['a call with text behind it', `<tool_call>${two}</tool_call>\nThis is how it looks.`],
    ['JSON with other fields', '{"name":"read","arguments":{},"why":"x"}'],
    ['a broken call', '<tool_call>{"name":"add","arguments":{"n":2}</tool_call>'],
    ['a person of the name of a tool', '{"name": "read"}'],
    ['marks alone', '<tool_call></tool_call>[TOOL_CALLS]<|python_tag|>'],
    ['a harmony call of another tool', '<|channel|>commentary to=functions.drop<|message|>{}<|call|>'],
  ])('%s stays text', (_name, text) => {
    const { text: said, calls } = readPieces([...text]);
    expect(calls).toEqual([]);
    expect(said).toBe(text.replace('<|call|>', ''));
  });

  it('an answer without tools loses no character', () => {
    const marks = [
      '<tool_call>',
      '```',
      '[TOOL_CALLS]',
      '{"name":"read",',
      '`',
      '\n',
      ' ',
      '}',
      'word',
      '<|pyth',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...marks)), (pieces) => {
        const reader = createTextCalls(new Map());
        const all = [...pieces.flatMap((piece) => reader.add(piece)), ...reader.end()];
        expect(all.map((piece) => ('text' in piece ? piece.text : '')).join('')).toBe(pieces.join(''));
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 100) },
    );
  });

  it('text, calls and marks never make a call of a tool that is not offered, and lose no text without one', () => {
    const marks = [
      one,
      two,
      '<tool_call>',
      '</tool_call>',
      '[TOOL_CALLS]',
      '<|python_tag|>',
      '```',
      'word ',
      '\n',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...marks), { maxLength: 12 }), (pieces) => {
        const { text, calls } = readPieces(pieces);
        expect(calls.every(([name]) => tools.has(name))).toBe(true);
        if (calls.length === 0) expect(text).toBe(pieces.join(''));
        else expect(pieces.join('').startsWith(text)).toBe(true);
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 200) },
    );
  });

  it('channels of harmony are thoughts and text, with free text between them', () => {
    const text =
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>Wait.<|end|> So: <|start|>assistant<|channel|>final<|message|>Yes.<|return|>';
    expect(readPieces([...text])).toEqual({ text: 'Wait. So: Yes.', thought: 'Hm.', calls: [] });
  });
});

describe('thoughts that the prompt has opened', () => {
  /** The text and the thoughts of an answer of a model in these pieces. */
  function say(
    thoughts: ReturnType<typeof createOpenThoughts>,
    model: string,
    deltas: readonly object[],
  ): unknown {
    const reader = chatFrames(thoughts, { model });
    const chunks = [
      ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ];
    const frames = chunks.flatMap((value) =>
      reader.read({ event: '', value: JSON.parse(JSON.stringify(value)) }),
    );
    const said = { content: '', reasoning_content: '' };
    for (const frame of frames) {
      const choices = typeof frame === 'object' ? frame.value['choices'] : null;
      const [choice] = Array.isArray(choices) ? choices : [];
      const delta = isObject(choice) && isObject(choice['delta']) ? choice['delta'] : {};
      said.content += String(delta['content'] ?? '');
      said.reasoning_content += String(delta['reasoning_content'] ?? '');
    }
    return said;
  }
  const pieces = [{ content: 'Hm' }, { content: '.\n</thi' }, { content: 'nk>\n\nHello' }];

  it('an answer teaches how the next one of its model begins', () => {
    const thoughts = createOpenThoughts(false);
    expect(say(thoughts, 'm', pieces)).toEqual({ content: 'Hm.\n</think>\n\nHello', reasoning_content: '' });
    expect(say(thoughts, 'm', pieces)).toEqual({ content: 'Hello', reasoning_content: 'Hm.\n' });
    expect(say(thoughts, 'other', [{ content: 'Hello' }])).toEqual({
      content: 'Hello',
      reasoning_content: '',
    });
  });

  it('an answer without a thought is told whole, and the next one is text at once', () => {
    const thoughts = createOpenThoughts(false);
    expect(say(thoughts, 'qwq', [{ content: 'Hel' }, { content: 'lo' }])).toMatchObject({ content: 'Hello' });
    expect(say(thoughts, 'qwq', [{ content: 'Hello' }])).toEqual({ content: 'Hello', reasoning_content: '' });
  });

  it('an answer whose thoughts come in their own field is text', () => {
    const own = [{ reasoning_content: 'Hm.' }, { content: 'Hello' }];
    expect(say(createOpenThoughts(false), 'deepseek-r1', own)).toEqual({
      content: 'Hello',
      reasoning_content: 'Hm.',
    });
  });

  it('a quoted tag teaches nothing', () => {
    const thoughts = createOpenThoughts(false);
    say(thoughts, 'm', [{ content: 'It ends with `</think>`, always.' }]);
    expect(thoughts.has('m')).toBe(false);
  });

  it('a cut thought stays a thought', () => {
    const tags = createThinkTags(true, () => undefined);
    expect([...tags.add('Hm. And '), ...tags.end(true)]).toEqual([{ isThought: true, text: 'Hm. And ' }]);
  });
});
