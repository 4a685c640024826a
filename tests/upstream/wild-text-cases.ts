import { calls, chunk, fn, hello, say, sse, stop, thought, usage, type WildCase } from './wild-answers.ts';

/** An answer whose text holds a call of `read` with `{"p":"a"}`, in pieces of five characters. */
const written = (text: string, more: Partial<WildCase['expected']> = {}): WildCase => ({
  wire: 'openai-compatible',
  body: sse(...(text.match(/[^]{1,5}/g) ?? []).map(say), stop, usage),
  expected: {
    text: '',
    calls: [['read', { p: 'a' }, 'completed']],
    finishReason: 'tool-calls',
    errorCode: null,
    ...more,
  },
});
const json = '{"name": "read", "arguments": {"p": "a"}}';

/** The rows of `wild.md` about thoughts and calls that servers leave in the text. */
export const wildTextCases: Readonly<Record<string, WildCase>> = {
  'think-end-alone': {
    ...thought({ content: 'H' }, { content: 'm.\n</th' }, { content: 'ink>\n\n' }),
    env: { VITRINE_MODELS: 'openai-compatible:deepseek-r1-distill-qwen-32b' },
    expected: { text: 'Hello', reasoning: 'Hm.\n', finishReason: 'stop', errorCode: null },
  },
  'think-end-alone-of-any-model': {
    ...thought({ content: 'Hm.' }, { content: '</think>\n\n' }),
    env: { OPENAI_COMPATIBLE_THINK: 'open' },
  },
  'think-end-alone-whole': hello(
    JSON.stringify({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hm.\n</think>\n\nHello' },
          finish_reason: 'stop',
        },
      ],
      usage: usage.usage,
    }),
    { reasoning: 'Hm.\n' },
  ),
  'call-in-hermes-tags': written(`I look.\n<tool_call>\n${json}\n</tool_call>`, { text: 'I look.\n' }),
  'call-in-function-tags': written(
    '<tool_call>\n<function=read>\n<parameter=p>\na\n</parameter>\n</function>\n</tool_call>',
  ),
  'call-in-argument-tags': written(
    '<tool_call>read\n<arg_key>p</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
  ),
  'call-behind-mistral-mark': written(`[TOOL_CALLS][${json}]`),
  'call-behind-python-tag': written('<|python_tag|>{"name": "read", "parameters": {"p": "a"}}<|eom_id|>'),
  'call-as-bare-json': written('{"name": "read", "parameters": {"p": "a"}}'),
  'call-in-harmony': written(
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"p":"a"}<|call|>',
    { reasoning: 'Hm.' },
  ),
  'channels-of-harmony': {
    ...written(
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>',
    ),
    expected: { text: 'Hello', reasoning: 'Hm.', finishReason: 'stop', errorCode: null },
  },
  'call-twice-in-field-and-text': {
    wire: 'openai-compatible',
    body: sse(
      say(`<tool_call>${json}</tool_call>`),
      chunk({ tool_calls: [{ index: 0, id: 'c1', ...fn('read', '{"p":"a"}') }] }),
      calls,
      usage,
    ),
    expected: { text: '', calls: [['read', { p: 'a' }, 'completed']], errorCode: null },
  },
};
