import type { ExpectedAnswer, ProviderStream, Wire } from './provider-stream.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the wire formats of three providers, read as they come
type Chunk = any;

/** The content of a recorded answer, read from its chunks alone. */
export function expectedAnswer(stream: Pick<ProviderStream, 'wire' | 'chunks'>): ExpectedAnswer {
  const chunks: Chunk[] = stream.chunks.map((line) => JSON.parse(line));
  return readers[stream.wire](chunks);
}

const readers: Record<Wire, (chunks: Chunk[]) => ExpectedAnswer> = {
  openai(chunks) {
    const { incomplete_details: cut, usage, output } = chunks.at(-1).response;
    const partsOf = (type: string, field: 'content' | 'summary'): Chunk[] =>
      output.filter((item: Chunk) => item.type === type).flatMap((item: Chunk) => item[field]);
    const said = partsOf('message', 'content');
    const calls = output.filter((item: Chunk) => item.type === 'function_call');
    const isRefused = said.some(({ type }) => type === 'refusal') || cut?.reason === 'content_filter';
    return {
      text: said.map((part) => part.text ?? part.refusal).join(''),
      reasoning: partsOf('reasoning', 'summary')
        .map(({ text }) => text)
        .join(''),
      toolCalls: calls.map((call: Chunk) => ({ name: call.name, input: JSON.parse(call.arguments) })),
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      finishReason: calls.length > 0 ? 'tool-calls' : isRefused ? 'content-filter' : cut ? 'length' : 'stop',
    };
  },
  'openai-compatible'(chunks) {
    const deltas = chunks.flatMap((chunk) => chunk.choices ?? []).map((choice: Chunk) => choice.delta ?? {});
    const calls: { name: string; json: string }[] = [];
    for (const call of deltas.flatMap((delta: Chunk) => delta.tool_calls ?? [])) {
      const at = call.index ?? calls.length;
      calls[at] ??= { name: '', json: '' };
      calls[at].name += call.function?.name ?? '';
      calls[at].json += call.function?.arguments ?? '';
    }
    const usage = chunks.findLast((chunk) => chunk.usage)?.usage ?? {};
    const reason = chunks
      .flatMap((chunk) => chunk.choices ?? [])
      .findLast((choice: Chunk) => choice.finish_reason)?.finish_reason;
    // Some count reasoning beside the completion, some within it: the total tells.
    const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
    const isBeside = usage.total_tokens === usage.prompt_tokens + usage.completion_tokens + reasoning;
    return {
      text: deltas.map((delta: Chunk) => delta.content ?? '').join(''),
      reasoning: deltas.map((delta: Chunk) => delta.reasoning_content ?? '').join(''),
      toolCalls: calls.map(({ name, json }) => ({ name, input: JSON.parse(json) })),
      inputTokens: usage.prompt_tokens,
      outputTokens: usage.completion_tokens + (isBeside ? reasoning : 0),
      finishReason: { stop: 'stop', tool_calls: 'tool-calls', length: 'length' }[reason as string] ?? 'other',
    };
  },
  anthropic(chunks) {
    const blocks = new Map<number, { type: string; name: string; text: string; json: string }>();
    for (const { index, content_block: block } of chunks.filter(
      (chunk) => chunk.type === 'content_block_start',
    )) {
      blocks.set(index, { type: block.type, name: block.name ?? '', text: block.text ?? '', json: '' });
    }
    for (const { index, delta } of chunks.filter((chunk) => chunk.type === 'content_block_delta')) {
      const block = blocks.get(index);
      if (!block) continue;
      block.text += delta.text ?? delta.thinking ?? '';
      block.json += delta.partial_json ?? '';
    }
    const all = [...blocks.values()];
    const end = chunks.findLast((chunk) => chunk.type === 'message_delta');
    const reason: string = end.delta.stop_reason;
    return {
      text: all.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      reasoning: all.map((block) => (block.type === 'thinking' ? block.text : '')).join(''),
      toolCalls: all
        .filter((block) => block.type === 'tool_use')
        .map(({ name, json }) => ({ name, input: json === '' ? {} : JSON.parse(json) })),
      inputTokens: chunks.find((chunk) => chunk.type === 'message_start').message.usage.input_tokens,
      outputTokens: end.usage.output_tokens,
      finishReason: { end_turn: 'stop', tool_use: 'tool-calls', max_tokens: 'length' }[reason] ?? 'other',
    };
  },
  google(chunks) {
    const parts: Chunk[] = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    const calls = parts.filter((part) => part.functionCall);
    const usage = chunks.findLast((chunk) => chunk.usageMetadata).usageMetadata;
    return {
      text: parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''),
      reasoning: parts.map((part) => (part.thought ? (part.text ?? '') : '')).join(''),
      toolCalls: calls.map(({ functionCall }) => ({
        name: functionCall.name,
        input: functionCall.args ?? {},
      })),
      inputTokens: usage.promptTokenCount,
      outputTokens: usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0),
      finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
    };
  },
};
