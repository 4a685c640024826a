import {
  type WildCase,
  frame,
  sse,
  chunk,
  say,
  stop,
  usage,
  call,
  fn,
  calls,
  hello,
  anthropicStart,
  block,
  words,
  blockStop,
  anthropicEnd,
  messageStop,
  message,
  gemini,
  google,
} from './wild-answers.ts';

const json = { 'content-type': 'application/json' };

/** The rows of `wild.md` about the protocols of Anthropic, Google, and OpenAI's responses. */
export const wildProviderCases: Readonly<Record<string, WildCase>> = {
  'anthropic-empty-data': message(
    `${anthropicStart}${block}event: ping\ndata: \n\n${words('Hello')}${blockStop}${anthropicEnd}${messageStop}`,
  ),
  'anthropic-unknown-event': message(
    `${frame({ type: 'vendor_hint' })}${anthropicStart}${block}${words('Hello')}${blockStop}${anthropicEnd}${messageStop}`,
    { skippedFrames: 1 },
  ),
  'anthropic-no-usage': message(
    `${frame({ type: 'message_start', message: { id: 'm1', type: 'message', role: 'assistant' } })}${block}${words('Hello')}${blockStop}${frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })}${messageStop}`,
  ),
  'anthropic-begins-twice': message(
    `${anthropicStart}${block}${words('Hel')}${anthropicStart}${words('lo')}${blockStop}${anthropicEnd}${messageStop}`,
  ),
  'anthropic-no-stop': message(`${anthropicStart}${block}${words('Hello')}${blockStop}${anthropicEnd}`),
  'anthropic-no-type': message(
    [anthropicStart, block, words('Hello'), blockStop, anthropicEnd, messageStop]
      .join('')
      .replaceAll(/"type":"(?:message|content_block)_\w+",?/g, '')
      .replaceAll('data: {,', 'data: {'),
  ),
  'anthropic-whole-message': {
    ...message(
      JSON.stringify({
        id: 'm1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, output_tokens: 3 },
      }),
      { inputTokens: 5 },
    ),
    headers: json,
  },
  'gemini-list': {
    ...google(JSON.stringify([gemini([{ text: 'Hel' }], {}, ''), gemini([{ text: 'lo' }])], null, 2)),
    headers: json,
  },
  'gemini-arguments-as-text': {
    wire: 'google',
    body: frame(gemini([{ functionCall: { name: 'read', args: '{"p":"a"}' } }])),
    expected: { calls: [['read', { p: 'a' }, 'completed']], errorCode: null },
  },
  'gemini-no-parts': google(`${frame(gemini([{ text: 'Hello' }], {}, ''))}${frame(gemini(undefined))}`),
  'gemini-reason-of-its-own': {
    wire: 'google',
    body: frame({ candidates: [{ content: {}, finishReason: 'UNEXPECTED_TOOL_CALL', index: 0 }] }),
    expected: { text: '', finishReason: 'other', errorCode: 'inference-failed' },
  },
  'gemini-wait-in-body': {
    wire: 'google',
    status: 429,
    headers: json,
    body: JSON.stringify({
      error: {
        code: 429,
        message: 'You exceeded your current quota.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '45.8s' }],
      },
    }),
    expected: { errorCode: 'upstream-rate-limited', retryable: true, retryAfterMs: 45_800 },
  },
  'responses-empty-data': {
    wire: 'openai',
    body: `data:\n\n${frame({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } })}event: response.output_text.delta\n\n${frame({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i' } })}${frame({ type: 'response.output_text.delta', item_id: 'i', delta: 'Hello' })}${frame({ type: 'response.completed', response: { id: 'r', usage: { input_tokens: 5, output_tokens: 3 } } })}`,
    expected: { text: 'Hello', errorCode: null },
  },
  'responses-failed': {
    wire: 'openai',
    body: `${frame({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } })}${frame({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i' } })}${frame({ type: 'response.output_text.delta', item_id: 'i', delta: 'Hel' })}${frame({ type: 'response.failed', sequence_number: 3, response: { status: 'failed', error: { code: 'server_error', message: 'The model crashed.' } } })}`,
    expected: {
      text: 'Hel',
      errorCode: 'upstream-unavailable',
      retryable: true,
      logged: 'The model crashed.',
    },
  },
  'responses-refused': {
    wire: 'openai',
    body: frame(
      {
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'rate_limit_exceeded', message: 'Limit 50000. Please try again in 2s.' },
        },
      },
      'response.failed',
    ),
    expected: {
      errorCode: 'upstream-rate-limited',
      retryable: true,
      retryAfterMs: 2000,
      logged: 'Limit 50000.',
    },
  },
  'responses-whole-answer': {
    wire: 'openai',
    body: JSON.stringify({
      id: 'r',
      object: 'response',
      created_at: 1,
      model: 'm',
      status: 'completed',
      error: null,
      output: [
        { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
        { type: 'function_call', id: 'f', call_id: 'c1', name: 'read', arguments: '{"p":"a"}' },
      ],
      usage: { input_tokens: 5, output_tokens: 3 },
    }),
    headers: json,
    expected: { text: 'Hello', calls: [['read', { p: 'a' }, 'completed']], inputTokens: 5, errorCode: null },
  },
  'responses-whole-items': {
    wire: 'openai',
    body: `${frame({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } })}${frame({ type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'i', content: [{ type: 'output_text', text: 'Hello' }] } })}${frame({ type: 'response.completed', response: { id: 'r', output: [], usage: { input_tokens: 5, output_tokens: 3 } } })}`,
    expected: { text: 'Hello', finishReason: 'stop', errorCode: null },
  },
  'gemini-whole-answer': {
    ...google(JSON.stringify(gemini([{ text: 'Hello' }]), null, 2), { inputTokens: 5 }),
    headers: json,
  },
  'anthropic-whole-call': {
    ...message(
      JSON.stringify({
        type: 'message',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'Hello' },
          { type: 'tool_use', id: 'c1', name: 'read', input: { p: 'a' } },
        ],
        stop_reason: 'tool_use',
      }),
      { reasoning: 'Hm.', calls: [['read', { p: 'a' }, 'completed']], finishReason: 'tool-calls' },
    ),
    headers: json,
  },
  'null-delta': hello(
    sse(say('Hello'), { choices: [{ index: 0, delta: null, finish_reason: 'stop' }] }, usage),
  ),
  'null-event': hello(sse(say('Hel'), null, say('lo'), stop, usage), { skippedFrames: 1 }),
  'empty-calls': hello(sse(chunk({ content: 'Hello', tool_calls: [] }), stop, usage), { calls: [] }),
  'stop-with-calls': {
    wire: 'openai-compatible',
    body: sse(call({ index: 0, id: 'c1', ...fn('read', '{"p":"a"}') }), stop, usage),
    expected: { calls: [['read', { p: 'a' }, 'completed']], errorCode: null },
  },
  'calls-without-calls': hello(sse(say('Hello'), calls, usage), { finishReason: 'tool-calls', calls: [] }),
  'anthropic-text-in-start': message(
    `${anthropicStart}${frame({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'H' } })}${frame({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'm.' } })}${blockStop}${frame({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'Hel' } })}${words('lo').replace('"index":0', '"index":1')}${blockStop.replace('"index":0', '"index":1')}${anthropicEnd}${messageStop}`,
    { reasoning: 'Hm.' },
  ),
  'anthropic-input-in-start': message(
    `${anthropicStart}${frame({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c1', name: 'read', input: { p: 'a' } } })}${blockStop}${frame({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } })}${messageStop}`,
    { text: '', calls: [['read', { p: 'a' }, 'completed']], finishReason: 'tool-calls' },
  ),
  'anthropic-no-block-start': message(
    `${anthropicStart}${words('Hel')}${words('lo')}${blockStop}${anthropicEnd}${messageStop}`,
  ),
  'anthropic-text-in-call': message(
    `${anthropicStart}${frame({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c1', name: 'read', input: {} } })}${frame({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"p":"a"}' } })}${words('\n')}${blockStop}${frame({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } })}${messageStop}`,
    { text: '\n', calls: [['read', { p: 'a' }, 'completed']], finishReason: 'tool-calls' },
  ),
  'gemini-no-content': {
    wire: 'google',
    body: `${frame({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }], usageMetadata: { promptTokenCount: 5 } })}`,
    expected: { text: '', finishReason: 'error', errorCode: 'inference-failed' },
  },
  'gemini-prompt-blocked': {
    wire: 'google',
    body: `${frame({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 5 } })}`,
    expected: { text: '', finishReason: 'content-filter', errorCode: 'content-filtered' },
  },
  'responses-reasoning-text': {
    wire: 'openai',
    body: `${frame({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } })}${frame({ type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'r1' } })}${frame({ type: 'response.reasoning_text.delta', item_id: 'r1', output_index: 0, content_index: 0, delta: 'Hm.' })}${frame({ type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'r1' } })}${frame({ type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'i' } })}${frame({ type: 'response.output_text.delta', item_id: 'i', output_index: 1, delta: 'Hello' })}${frame({ type: 'response.output_item.done', output_index: 1, item: { type: 'message', id: 'i' } })}${frame({ type: 'response.completed', response: { id: 'r', usage: { input_tokens: 5, output_tokens: 3 } } })}`,
    expected: { text: 'Hello', reasoning: 'Hm.', finishReason: 'stop', errorCode: null },
  },
};
