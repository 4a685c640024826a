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
  reads,
  twoCalls,
  searches,
  thought,
} from './wild-answers.ts';
import { wildProviderCases } from './wild-provider-cases.ts';
import { wildTextCases } from './wild-text-cases.ts';

const json = { 'content-type': 'application/json' };
const limited = 'Rate limit reached on tokens per minute (TPM): Limit 7000. Please try again in 1m7.5s.';

/** The rows of `wild.md` by name. */
export const wildCases: Readonly<Record<string, WildCase>> = {
  ...wildTextCases,
  ...wildProviderCases,
  'empty-data': hello(`data:\n\n${frame(say('Hel'))}data: \n\n${sse(say('lo'), stop, usage)}`),
  'ping-event': hello(`${frame(say('Hel'))}event: ping\ndata: {}\n\n${sse(say('lo'), stop, usage)}`),
  'event-of-its-own': hello(
    `${frame(say('Hel'))}${frame({ tool: 'x', progress: 1 }, 'hermes.tool.progress')}${sse(say('lo'), stop, usage)}`,
    { skippedFrames: 1 },
  ),
  'unparsable-event': hello(`${frame(say('Hel'))}${frame('{"choices":[')}${sse(say('lo'), stop, usage)}`, {
    skippedFrames: 1,
  }),
  'unreadable-behind-finish': hello(sse(say('Hello'), stop, 'keep-alive'), { skippedFrames: 1 }),
  'usage-without-choices': hello(
    sse(say('Hello'), stop, { id: 'x', object: 'chat.completion.chunk', usage: usage.usage }),
    { inputTokens: 5 },
  ),
  'null-choices': hello(sse(say('Hello'), { ...chunk({}), choices: null }, stop, usage)),
  'usage-in-choice': hello(
    sse(say('Hello'), {
      ...stop,
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: usage.usage }],
    }),
    { inputTokens: 5 },
  ),
  'figures-as-text': hello(
    sse(say('Hello'), stop, { choices: [], usage: { prompt_tokens: '5', completion_tokens: '3' } }),
    { inputTokens: 5 },
  ),
  'no-blank-line-at-end': hello(
    `${frame(say('Hel'))}${frame(say('lo'))}${frame(usage)}data: ${JSON.stringify(stop)}\n`,
  ),
  'one-line-feed': hello(
    `${[say('Hel'), say('lo'), stop, usage].map((one) => `data: ${JSON.stringify(one)}\n`).join('')}\n`,
  ),
  'data-twice': hello(`data: data: ${JSON.stringify(say('Hello'))}\n\n${sse(stop, usage)}`),
  'bare-lines': hello([say('Hel'), say('lo'), stop, usage].map((one) => `${JSON.stringify(one)}\n`).join('')),
  'byte-order-mark': hello(`\uFEFF${sse(say('Hello'), stop, usage)}`),
  'whole-answer': {
    ...hello(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
        usage: usage.usage,
      }),
      { inputTokens: 5 },
    ),
    headers: json,
  },
  'page-in-place-of-answer': hello('<html><body>Welcome to nginx!</body></html>', {
    text: '',
    finishReason: undefined as never,
    errorCode: 'stream-malformed',
  }),
  'empty-finish-reason': hello(
    sse(
      chunk({ content: 'Hel' }, ''),
      chunk({ content: 'lo' }, ''),
      stop,
      chunk({}, '', { usage: usage.usage }),
    ),
  ),
  'finish-reason-eos': hello(sse(say('Hello'), chunk({}, 'eos'), usage)),
  'finish-reason-upper-case': hello(sse(say('Hello'), chunk({}, 'STOP'), usage)),
  'no-finish-reason': hello(sse(say('Hello'), usage), { finishReason: 'other' }),
  'content-as-parts': hello(
    sse(
      say([{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }]),
      say([
        { type: 'text', text: 'Hello' },
        { type: 'reference', reference_ids: [1] },
      ]),
      stop,
      usage,
    ),
    { reasoning: 'Hm.' },
  ),
  'numeric-ids': hello(sse({ ...say('Hello'), id: 1, model: 7, created: 'now' }, stop, usage)),
  'unknown-role': hello(sse(chunk({ role: 'model', content: 'Hello' }), stop, usage)),
  'reasoning-field': thought({ reasoning: 'Hm.' }),
  'reasoning-twice': thought(
    { reasoning_content: '', reasoning: 'H' },
    { reasoning_content: 'm.', reasoning: 'm.' },
  ),
  'thinking-field': thought({ thinking: 'Hm.' }),
  'reasoning-details': thought({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }),
  'think-tags': thought({ content: '<thi' }, { content: 'nk>Hm.</th' }, { content: 'ink>\n\n' }),
  'think-tags-of-another-server': {
    ...thought({ content: '<think>Hm.</think>\n\n' }),
    env: { OPENAI_COMPATIBLE_THINK: 'off' },
    expected: { text: '<think>Hm.</think>\n\nHello', reasoning: '', errorCode: null },
  },
  'thoughts-behind-text': {
    wire: 'openai-compatible',
    body: sse(say('Hello'), chunk({ reasoning_content: 'Hm.' }), say(' again'), stop, usage),
    expected: {
      parts: ['text:Hello', 'reasoning:Hm.', 'text: again'],
      finishReason: 'stop',
      errorCode: null,
    },
  },
  'numeric-call-id': reads(call({ index: 0, id: 17, ...fn('read', '{"p":"a"}') })),
  'call-index-as-text': reads(call({ index: '0', id: 'c1', ...fn('read', '{"p":"a"}') })),
  'arguments-object': reads(call({ index: 0, id: 'c1', ...fn('read', { p: 'a' }) })),
  'no-call-index': {
    ...reads(),
    body: sse(
      call({ id: 'c1', ...fn('read', '{"p":"a"}') }),
      call({ id: 'c2', ...fn('read', '{"p":"b"}') }),
      calls,
      usage,
    ),
    expected: twoCalls,
  },
  'one-index-for-all-calls': {
    ...reads(),
    body: sse(
      call({ index: 0, id: 'c1', ...fn('read', '{"p":"a"}') }),
      call({ index: 0, id: 'c2', ...fn('read', '{"p":"b"}') }),
      calls,
      usage,
    ),
    expected: twoCalls,
  },
  'no-call-id': reads(call({ index: 0, ...fn('read', '{"p":') }), call({ index: 0, ...fn(null, '"a"}') })),
  'other-id-in-each-piece': reads(
    call({ index: 0, id: 'c1', ...fn('read', '') }),
    call({ index: 0, id: 'c2', ...fn(null, '{"p":') }),
    call({ index: 0, id: 'c3', ...fn(null, '"a"}') }),
  ),
  'name-in-each-piece': reads(
    call({ index: 0, id: 'c1', ...fn('read', '{"p":') }),
    call({ index: 0, id: 'c1', ...fn('read', '"a"}') }),
  ),
  'late-name': reads(
    call({ index: 0, id: 'c1', ...fn('', '{"p":') }),
    call({ index: 0, id: 'c1', ...fn('read', '"a"}') }),
  ),
  'nameless-call': {
    wire: 'openai-compatible',
    body: sse(say('Hello'), call({ index: 0, id: 'c1', ...fn(null, '{"p":"a"}') }), stop, usage),
    expected: { text: 'Hello', calls: [], finishReason: 'stop', skippedFrames: 1, errorCode: null },
  },
  'function-call-field': reads(chunk({ function_call: { name: 'read', arguments: '{"p":"a"}' } })),
  'call-without-arguments': {
    ...reads(call({ index: 0, id: 'c1', ...fn('read', '') })),
    expected: { calls: [['read', {}, 'completed']], errorCode: null },
  },
  'namespace-before-name': reads(call({ index: 0, id: 'c1', ...fn('functions.read', '{"p":"a"}') })),
  'marks-behind-name': reads(call({ index: 0, id: 'c1', ...fn('read<|channel|>commentary', '{"p":"a"}') })),
  'encoded-twice': searches('{"queries":"[\\"a\\"]"}'),
  'whole-encoded-twice': searches('"{\\"queries\\":[\\"a\\"]}"'),
  'null-for-optional': searches('{"queries":["a"],"limit":null}'),
  'comma-at-end': searches('{"queries":["a",],}'),
  'arguments-in-fence': searches('```json\n{"queries":["a"]}\n```'),
  'empty-object-before': searches('{}{"queries":["a"]}'),
  'arguments-twice': searches('{"queries":["a"]}{"queries":["a"]}'),
  'line-break-in-text': {
    ...searches('{"queries":["a\nb"]}'),
    expected: { ran: [{ queries: ['a\nb'] }], errorCode: null },
  },
  'broken-arguments': {
    ...searches('{"queries":["a"'),
    expected: { ran: [], callError: /no JSON: they break off after 15 characters/, errorCode: null },
  },
  'call-cut-at-limit': {
    wire: 'openai-compatible',
    body: sse(
      call({ index: 0, id: 'c1', ...fn('read', '{"p":"a","content":"line o') }),
      chunk({}, 'length'),
      usage,
    ),
    expected: { ran: [], callError: /output limit/, finishReason: 'length', errorCode: null },
  },
  'cut-call-closed-by-server': {
    wire: 'openai-compatible',
    body: sse(call({ index: 0, id: 'c1', ...fn('read', '{"p":"a"}') }), chunk({}, 'length'), usage),
    expected: { ran: [], callError: /output limit/, finishReason: 'length', errorCode: null },
  },
  'error-object': {
    wire: 'openai-compatible',
    body: sse({
      object: 'error',
      message: 'This model has a maximum context length of 4096.',
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
    expected: {
      errorCode: 'upstream-invalid-request',
      retryable: false,
      logged: 'This model has a maximum context length of 4096.',
    },
  },
  'error-with-status': {
    wire: 'openai-compatible',
    body: sse({ error: { message: 'TimeoutError', type: 'GatewayTimeout', code: 504 } }),
    expected: { errorCode: 'upstream-unavailable', retryable: true },
  },
  'error-as-text': {
    wire: 'openai-compatible',
    body: sse({ error: 'an error was encountered while running the model' }),
    expected: { errorCode: 'upstream-error', logged: 'while running the model' },
  },
  'error-field': {
    wire: 'openai-compatible',
    body: `error: {"code":400,"message":"the request exceeds the available context size","type":"invalid_request_error"}\n\ndata: [DONE]\n\n`,
    expected: { errorCode: 'upstream-invalid-request', retryable: false, logged: 'available context size' },
  },
  'bare-error': {
    wire: 'openai-compatible',
    body: '{"error":{"message":"model is overloaded","type":"overloaded_error"}}',
    headers: json,
    expected: { errorCode: 'upstream-unavailable', retryable: true, logged: 'model is overloaded' },
  },
  'error-beside-choices': {
    wire: 'openai-compatible',
    body: sse(
      say('Hel'),
      chunk({ content: '' }, 'error', { error: { code: 502, message: 'Provider disconnected' } }),
    ),
    expected: { text: 'Hel', errorCode: 'upstream-unavailable', logged: 'Provider disconnected' },
  },
  'error-in-choice': {
    wire: 'openai-compatible',
    body: sse(say('Hel'), {
      choices: [{ index: 0, delta: {}, finish_reason: null, error: { code: 502, message: 'Provider gone' } }],
    }),
    expected: { text: 'Hel', errorCode: 'upstream-unavailable', logged: 'Provider gone' },
  },
  'finish-reason-error': {
    wire: 'openai-compatible',
    body: sse(
      say('Hel'),
      { choices: [{ index: 0, delta: {}, finish_reason: 'error', native_finish_reason: 'network_error' }] },
      usage,
    ),
    expected: { text: 'Hel', errorCode: 'upstream-error', logged: 'network_error' },
  },
  'error-message-field': {
    wire: 'openai-compatible',
    body: sse({ choices: null, error_type: 'BadRequestError', error_message: 'The context is too long.' }),
    expected: { errorCode: 'upstream-invalid-request', retryable: false, logged: 'The context is too long.' },
  },
  'list-of-errors': {
    wire: 'openai-compatible',
    body: '{"result":null,"success":false,"errors":[{"code":7009,"message":"Upstream service unavailable"}],"messages":[]}',
    headers: json,
    expected: { errorCode: 'upstream-error', logged: 'Upstream service unavailable' },
  },
  'error-event-of-text': {
    wire: 'openai-compatible',
    body: `${frame(say('Hel'))}event: error\ndata: the index has another size\n\n`,
    expected: { text: 'Hel', errorCode: 'upstream-error', logged: 'the index has another size' },
  },
  'error-as-bare-text': {
    wire: 'openai-compatible',
    body: 'data: error: out of memory\n\n',
    expected: { errorCode: 'upstream-error', logged: 'out of memory' },
  },
  'empty-error': hello(
    sse({ ...say('Hel'), error: {} }, { ...say('lo'), error: '' }, { ...stop, error: 0 }, usage),
  ),
  'null-error': hello(sse({ ...say('Hello'), error: null }, stop, usage)),
  'error-behind-finish': hello(sse(say('Hello'), stop, { error: { message: 'usage failed', code: 500 } }), {
    skippedFrames: 1,
  }),
  'groq-wait-in-sentence': {
    wire: 'openai-compatible',
    status: 429,
    headers: json,
    body: JSON.stringify({ error: { message: limited, type: 'tokens', code: 'rate_limit_exceeded' } }),
    expected: { errorCode: 'upstream-rate-limited', retryable: true, retryAfterMs: 67_500 },
  },
};
