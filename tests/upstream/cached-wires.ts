import type { Counted } from './prompt-caches.ts';

/** An answer of a model: a text, or calls of a tool. */
export type Answer = {
  readonly tool?: string;
  readonly input?: object;
  /** Number of calls of the tool. Default: 1. */
  readonly calls?: number;
  readonly text?: string;
};

/** The protocol in which an upstream answers. */
export type Wire = 'messages' | 'responses' | 'chat';

/** Tokens of each answer. */
export const outputTokens = 40;

/** The body of an upstream's n-th answer, with the usage that its cache has counted. */
export function answerBody(wire: Wire, answer: Answer, n: number, counted: Counted): string {
  const { tool, calls = 1, input, text = 'Done.' } = answer;
  const inputs =
    tool === undefined
      ? []
      : Array.from({ length: calls }, (_none, page) => JSON.stringify(input ?? { page: n + page }));
  const said = { name: tool ?? '', inputs, text, n };
  if (wire === 'chat') return chatBody(said, counted);
  const events = wire === 'messages' ? messageEvents(said, counted) : responseEvents(said, counted);
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

type Said = {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly text: string;
  readonly n: number;
};
type Event = { readonly type: string };

function messageEvents({ name, inputs, text, n }: Said, counted: Counted): readonly Event[] {
  const usage = {
    input_tokens: counted.plain,
    cache_read_input_tokens: counted.read,
    cache_creation_input_tokens: counted.write,
    cache_creation: {
      ephemeral_5m_input_tokens: counted.write - (counted.long ?? 0),
      ephemeral_1h_input_tokens: counted.long ?? 0,
    },
    output_tokens: 1,
  };
  const blocks =
    inputs.length === 0
      ? [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text } }]
      : inputs.map((input, at) => ({
          start: { type: 'tool_use', id: `toolu_${n}_${at}`, name, input: {} },
          delta: { type: 'input_json_delta', partial_json: input },
        }));
  const message = { id: `m${n}`, type: 'message', role: 'assistant', model: 'm', content: [], usage };
  return [
    { type: 'message_start', message } as Event,
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: 'content_block_start', index, content_block: start },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: inputs.length === 0 ? 'end_turn' : 'tool_use' },
      usage: { output_tokens: outputTokens },
    } as Event,
    { type: 'message_stop' },
  ];
}

function responseEvents({ name, inputs, text, n }: Said, counted: Counted): readonly Event[] {
  const usage = {
    input_tokens: counted.total,
    input_tokens_details: { cached_tokens: counted.read, cache_write_tokens: counted.write },
    output_tokens: outputTokens,
    total_tokens: counted.total + outputTokens,
  };
  const status = 'completed';
  const itemEvents = (output_index: number, item: object, begin: object, delta: object): readonly Event[] => [
    { type: 'response.output_item.added', output_index, item: { ...item, ...begin } } as Event,
    { output_index, ...delta } as unknown as Event,
    { type: 'response.output_item.done', output_index, item } as Event,
  ];
  const items =
    inputs.length === 0
      ? [
          itemEvents(
            0,
            {
              type: 'message',
              id: `msg_${n}`,
              role: 'assistant',
              status,
              content: [{ type: 'output_text', text, annotations: [] }],
            },
            { content: [] },
            { type: 'response.output_text.delta', item_id: `msg_${n}`, content_index: 0, delta: text },
          ),
        ]
      : inputs.map((input, at) =>
          itemEvents(
            at,
            {
              type: 'function_call',
              id: `fc_${n}_${at}`,
              call_id: `call_${n}_${at}`,
              name,
              arguments: input,
              status,
            },
            { arguments: '' },
            {
              type: 'response.function_call_arguments.delta',
              item_id: `fc_${n}_${at}`,
              delta: input,
            },
          ),
        );
  return [
    { type: 'response.created', response: { id: `r${n}`, created_at: 1, model: 'm' } } as Event,
    ...items.flat(),
    { type: 'response.completed', response: { usage } } as Event,
  ];
}

function chatBody({ name, inputs, text, n }: Said, counted: Counted): string {
  const delta =
    inputs.length === 0
      ? { content: text }
      : {
          tool_calls: inputs.map((input, index) => ({
            index,
            id: `call${n}x${index}`.padEnd(9, 'x').slice(0, 9),
            type: 'function',
            function: { name, arguments: input },
          })),
        };
  const usage = {
    prompt_tokens: counted.total,
    completion_tokens: outputTokens,
    total_tokens: counted.total + outputTokens,
    prompt_tokens_details: { cached_tokens: counted.read, cache_write_tokens: counted.write },
  };
  const finish_reason = inputs.length === 0 ? 'stop' : 'tool_calls';
  const chunks = [
    { id: `c${n}`, model: 'm', choices: [{ index: 0, delta: { role: 'assistant', ...delta } }] },
    { id: `c${n}`, model: 'm', choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}
