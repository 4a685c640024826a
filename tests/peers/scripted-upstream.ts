import type { ServerResponse } from 'node:http';

/** An answer of the script: a text, and calls of tools. */
type Answer = { readonly text: string; readonly calls: readonly (readonly [name: string, input: object])[] };

const cities = ['Oslo', 'Rome'].map((city) => ['getWeather', { city }] as const);

/** The answers of a model by a word of the last question, one for each step. */
const script: Readonly<Record<string, readonly Answer[]>> = {
  weather: [
    { text: 'Let me look.', calls: cities },
    { text: 'Oslo 3, Rome 21.', calls: [] },
  ],
  warmer: [{ text: 'Rome is warmer.', calls: [] }],
  research: [
    { text: '', calls: [['research', { input: 'Find the height of Mont Blanc' }]] },
    { text: 'It is 4808 m high.', calls: [] },
  ],
  'Mont Blanc': [
    { text: '', calls: [['search', { q: 'Mont Blanc' }]] },
    { text: '4808 m', calls: [] },
  ],
  shell: [
    { text: '', calls: [['bash', { command: 'echo hello' }]] },
    { text: 'It printed hello.', calls: [] },
  ],
};

type Item = {
  readonly role?: string;
  readonly type?: string;
  readonly content?: string | readonly { readonly type?: string; readonly text?: string }[];
};

type Body = {
  readonly stream?: boolean;
  readonly messages?: readonly Item[];
  readonly input?: string | readonly Item[];
};

let count = 0;

/** Answers a request of chat completions, responses or messages by the script, whole or as a stream. */
export function answerByScript(
  { url, body }: { readonly url: string; readonly body: string },
  response: ServerResponse,
): void {
  const { stream = false, ...asked } = JSON.parse(body || '{}') as Body;
  const items =
    asked.messages ??
    (typeof asked.input === 'string' ? [{ role: 'user', content: asked.input }] : asked.input);
  if (items === undefined)
    return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  const textOf = ({ content = '' }: Item): string =>
    typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
  const last = items.findLastIndex((item) => item.role === 'user' && textOf(item) !== '');
  const question = textOf(items[last] ?? {});
  const isAnswer = ({ role, type }: Item): boolean => role === 'assistant' || type === 'function_call';
  // The items of one answer follow each other.
  const step = items
    .slice(last + 1)
    .filter((item, index, all) => isAnswer(item) && !isAnswer(all[index - 1] ?? {})).length;
  const [, answers = []] = Object.entries(script).findLast(([word]) => question.includes(word)) ?? [];
  const { text, calls } = answers[Math.min(step, answers.length - 1)] ?? { text: 'Well.', calls: [] };
  const id = `r${++count}`;
  const made = calls.map(([name, input], index) => ({
    id: `c${count}_${index}`,
    name,
    args: JSON.stringify(input),
    input,
  }));
  const path = url.split('?')[0] ?? '';
  const speak = path.endsWith('/responses')
    ? asResponse
    : path.endsWith('/messages')
      ? asMessage
      : asCompletion;
  const { whole, events } = speak({ id, text, made });
  if (!stream)
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events)
    response.write(
      `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
    );
  response.end(speak === asCompletion ? 'data: [DONE]\n\n' : '');
}

type Made = { readonly id: string; readonly name: string; readonly args: string; readonly input: object };
type Said = { readonly id: string; readonly text: string; readonly made: readonly Made[] };
type Spoken = { readonly whole: object; readonly events: readonly object[] };

function asCompletion({ id, text, made }: Said): Spoken {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const finish_reason = made.length > 0 ? 'tool_calls' : 'stop';
  const calls = made.map(({ id: callId, name, args }, index) => {
    return { index, id: callId, type: 'function', function: { name, arguments: args } };
  });
  const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) };
  const base = { id, created: 1, model: 'scripted' };
  const chunk = { ...base, object: 'chat.completion.chunk' };
  return {
    whole: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
    events: [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage },
    ],
  };
}

function asMessage({ id, text, made }: Said): Spoken {
  const content = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...made.map(({ id: callId, name, input }) => ({ type: 'tool_use', id: callId, name, input })),
  ];
  const stop_reason = made.length > 0 ? 'tool_use' : 'end_turn';
  const usage = {
    input_tokens: 30,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 10,
    output_tokens: 20,
  };
  const base = { id, type: 'message', role: 'assistant', model: 'scripted', stop_sequence: null, usage };
  const blocks = content.flatMap((block, index) => {
    const isText = 'text' in block;
    const begun = isText ? { ...block, text: '' } : { ...block, input: {} };
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify((block as { input: object }).input) };
    return [
      { type: 'content_block_start', index, content_block: begun },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ];
  });
  return {
    whole: { ...base, content, stop_reason },
    events: [
      { type: 'message_start', message: { ...base, content: [], stop_reason: null } },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } },
      { type: 'message_stop' },
    ],
  };
}

function asResponse({ id, text, made }: Said): Spoken {
  const output = [
    ...(text === ''
      ? []
      : [
          {
            id: `msg_${id}`,
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...made.map(({ id: callId, name, args }) => {
      return {
        id: `fc_${callId}`,
        type: 'function_call',
        status: 'completed',
        call_id: callId,
        name,
        arguments: args,
      };
    }),
  ];
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  const more = {
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    tools: [],
    tool_choice: 'auto',
  };
  const base = {
    id,
    object: 'response',
    created_at: 1,
    model: 'scripted',
    parallel_tool_calls: true,
    ...more,
  };
  const whole = { ...base, status: 'completed', output, usage };
  const items = output.flatMap((item, output_index) => {
    const deltas =
      'content' in item
        ? [
            {
              type: 'response.output_text.delta',
              item_id: item.id,
              output_index,
              content_index: 0,
              delta: text,
            },
          ]
        : [
            {
              type: 'response.function_call_arguments.delta',
              item_id: item.id,
              output_index,
              delta: item.arguments,
            },
          ];
    const begun = 'content' in item ? { ...item, content: [] } : { ...item, arguments: '' };
    return [
      { type: 'response.output_item.added', output_index, item: begun },
      ...deltas,
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  const events = [
    { type: 'response.created', response: { ...base, status: 'in_progress', output: [], usage: null } },
    ...items,
    { type: 'response.completed', response: whole },
  ];
  return { whole, events: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
}
