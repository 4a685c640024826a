import type { Foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import * as fc from 'fast-check';

/** A random agent: its steps, whose calls may run agents. */
export type ToldAgent = {
  readonly name: number;
  readonly steps: readonly ToldStep[];
  readonly isCut: boolean;
};

type ToldStep = { readonly ms: number; readonly calls: readonly ToldTool[] };

type ToldTool = {
  readonly name: string;
  readonly ms: number;
  readonly hasFailed: boolean;
  readonly agent: ToldAgent | null;
};

/** The words of a program for its spans: ids of calls are in one of them only. */
export type Convention = 'gen_ai' | 'openinference';

/** Milliseconds, often none: then only the order of what was sent tells what came first. */
const msUpTo = (most: number): fc.Arbitrary<number> => fc.oneof(fc.constant(0), fc.nat(most));

const { agent: agents } = fc.letrec<{ agent: ToldAgent; tool: ToldTool }>((tie) => ({
  agent: fc.record({
    name: fc.nat(3),
    isCut: fc.boolean(),
    steps: fc.array(
      fc.record({ ms: msUpTo(9), calls: fc.array(tie('tool'), { minLength: 1, maxLength: 2 }) }),
      { maxLength: 2 },
    ),
  }),
  tool: fc.record({
    name: fc.constantFrom('look', 'search'),
    ms: msUpTo(20),
    hasFailed: fc.boolean(),
    agent: fc.option(tie('agent'), { maxDepth: 2, depthIdentifier: 'agents' }),
  }),
}));

export const toldPrograms: fc.Arbitrary<readonly { readonly agent: ToldAgent; readonly at: number }[]> =
  fc.array(fc.record({ agent: agents, at: fc.nat(60) }), { minLength: 1, maxLength: 3 });

/** A call of a tool as it truly was. */
type TrueCall = {
  readonly name: string;
  readonly status: string;
  readonly ms: number;
  readonly agent: TrueRun | null;
};

/** A run of an agent as it truly was. */
export type TrueRun = {
  readonly name: string;
  readonly status: string;
  readonly steps: readonly (readonly TrueCall[])[];
};

/** A request of a program and its answer, as bodies of chat completions. */
type Sent = {
  readonly from: number;
  readonly to: number;
  readonly request: Foreign;
  readonly answer: Foreign;
};

/** Spans in the JSON of OpenTelemetry, the runs that they are of, and the requests that were sent. */
export function tell(
  programs: readonly { readonly agent: ToldAgent; readonly at: number }[],
  convention: Convention,
): { readonly spans: readonly Foreign[]; readonly runs: readonly TrueRun[]; readonly sent: readonly Sent[] } {
  const teller = new Teller(convention);
  const runs = programs.map(({ agent, at }, index) => {
    teller.trace = `${index + 1}`.padStart(32, 'a');
    return teller.run(agent, { at: 1_700_000_000_000 + at, parent: null, task: `Task ${index}` }).run;
  });
  return { spans: teller.spans, runs, sent: teller.sent };
}

type Started = { readonly at: number; readonly parent: string | null; readonly task: string };

class Teller {
  trace = '';
  readonly spans: Foreign[] = [];
  readonly sent: Sent[] = [];
  readonly #isGenAi: boolean;
  #count = 0;

  constructor(convention: Convention) {
    this.#isGenAi = convention === 'gen_ai';
  }

  run(
    agent: ToldAgent,
    { at: start, parent, task }: Started,
  ): { readonly run: TrueRun; readonly end: number } {
    const id = this.#id();
    const name = `Agent ${agent.name}`;
    const messages: Foreign[] = [{ role: 'user', content: task }];
    const steps: TrueCall[][] = [];
    let at = start;
    const isCut = agent.isCut && agent.steps.length > 0;
    for (const { ms, calls } of isCut ? agent.steps : [...agent.steps, { ms: 3, calls: [] }]) {
      const step = this.#count;
      const made = calls.map((call, index) => ({
        ...call,
        id: `call_${step}_${index}`,
        args: JSON.stringify({ of: `${task}, ${step}.${index}` }),
      }));
      this.#model(id, { from: at, to: (at += ms), messages, made });
      messages.push({ role: 'assistant', content: made.length === 0 ? `Done ${step}` : '', calls: made });
      const ends = made.map((call) => this.#tool(call, { at, parent: id }));
      steps.push(ends.map(({ told }) => told));
      at = Math.max(at, ...ends.map(({ end }) => end));
      for (const { told, text, callId } of ends)
        messages.push({ role: 'tool', callId, content: told.status === 'failed' ? 'Error: no' : text });
    }
    this.#span({
      id,
      parent,
      name,
      from: start,
      to: at,
      of: 'agent',
      values: { 'gen_ai.agent.name': name, 'agent.name': name },
    });
    return { run: { name, status: isCut ? 'stopped' : 'completed', steps }, end: at };
  }

  #tool(
    call: ToldTool & { readonly id: string; readonly args: string },
    { at, parent }: Omit<Started, 'task'>,
  ) {
    const id = this.#id();
    const inner =
      call.agent === null
        ? null
        : this.run(call.agent, { at, parent: id, task: JSON.parse(call.args).of as string });
    const end = inner?.end ?? at + call.ms;
    const text = `result ${id}`;
    const { name, hasFailed } = call;
    const values = this.#isGenAi
      ? {
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': call.id,
          'gen_ai.tool.call.arguments': call.args,
          'gen_ai.tool.call.result': text,
        }
      : { 'tool.name': name, 'input.value': call.args, 'output.value': text };
    this.#span({ id, parent, name, from: at, to: end, of: 'tool', values, hasFailed });
    const status = hasFailed ? 'failed' : 'completed';
    return { end, text, callId: call.id, told: { name, status, ms: end - at, agent: inner?.run ?? null } };
  }

  #model(
    parent: string,
    told: {
      readonly from: number;
      readonly to: number;
      readonly messages: readonly Foreign[];
      readonly made: readonly (ToldTool & { readonly id: string; readonly args: string })[];
    },
  ): void {
    const id = this.#id();
    const answer = {
      role: 'assistant',
      content: told.made.length === 0 ? `Done ${this.#count - 1}` : '',
      calls: told.made,
    };
    const values = this.#isGenAi
      ? {
          'gen_ai.request.model': 'm',
          'gen_ai.response.id': `r${id}`,
          'gen_ai.system_instructions': '[{"type":"text","content":"You are Random."}]',
          'gen_ai.input.messages': JSON.stringify(told.messages.map(partsOf)),
          'gen_ai.output.messages': JSON.stringify([partsOf(answer)]),
          'gen_ai.response.finish_reasons': ['stop'],
          'gen_ai.usage.input_tokens': 7,
          'gen_ai.usage.output_tokens': 5,
        }
      : {
          'llm.model_name': 'm',
          'llm.token_count.prompt': 7,
          'llm.token_count.completion': 5,
          ...flat('llm.input_messages', told.messages),
          ...flat('llm.output_messages', [answer]),
        };
    this.sent.push({
      from: told.from,
      to: told.to,
      request: {
        model: 'm',
        messages: [{ role: 'system', content: 'You are Random.' }, ...told.messages.map(onWire)],
      },
      answer: { id: `r${id}`, model: 'm', choices: [{ message: onWire(answer), finish_reason: 'stop' }] },
    });
    this.#span({ id, parent, name: 'chat', from: told.from, to: told.to, of: 'model', values });
  }

  #id(): string {
    return (++this.#count).toString(16).padStart(16, '0');
  }

  #span(span: {
    readonly id: string;
    readonly parent: string | null;
    readonly name: string;
    readonly from: number;
    readonly to: number;
    readonly of: 'agent' | 'model' | 'tool';
    readonly values: Foreign;
    readonly hasFailed?: boolean;
  }): void {
    const words = this.#isGenAi
      ? { agent: 'invoke_agent', model: 'chat', tool: 'execute_tool' }
      : { agent: 'AGENT', model: 'LLM', tool: 'TOOL' };
    const kind = this.#isGenAi ? 'gen_ai.operation.name' : 'openinference.span.kind';
    const nano = (ms: number, fraction: number): string => `${ms}${String(fraction).padStart(6, '0')}`;
    this.spans.push({
      traceId: this.trace,
      spanId: span.id,
      ...(span.parent !== null && { parentSpanId: span.parent }),
      name: span.name,
      startTimeUnixNano: nano(span.from, 0),
      endTimeUnixNano: nano(span.to, 4_265),
      attributes: Object.entries({ ...span.values, [kind]: words[span.of] }).map(([key, value]) => ({
        key,
        value: valueOf(value),
      })),
      ...(span.hasFailed === true && { status: { code: 2, message: 'no' } }),
      flags: 257,
    });
  }
}

function valueOf(value: unknown): Foreign {
  if (typeof value === 'number') return { intValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(valueOf) } };
  return { stringValue: value };
}

type Made = { readonly id: string; readonly name: string; readonly args: string };

function partsOf({ role, content, callId, calls = [] }: Foreign): Foreign {
  if (role === 'tool')
    return { role, parts: [{ type: 'tool_call_response', id: callId, response: content }] };
  const made = (calls as readonly Made[]).map(({ id, name, args }) => ({
    type: 'tool_call',
    id,
    name,
    arguments: JSON.parse(args) as unknown,
  }));
  return { role, parts: [...(content === '' ? [] : [{ type: 'text', content }]), ...made] };
}

function onWire({ role, content, callId, calls = [] }: Foreign): Foreign {
  const tool_calls = (calls as readonly Made[]).map(({ id, name, args }) => ({
    id,
    function: { name, arguments: args },
  }));
  return { role, content, ...(callId !== undefined && { tool_call_id: callId }), tool_calls };
}

function flat(place: string, messages: readonly Foreign[]): Foreign {
  return Object.fromEntries(
    messages.flatMap(({ role, content, callId, calls = [] }, index) => {
      const at = `${place}.${index}.message`;
      return [
        [`${at}.role`, role],
        ...(content === '' ? [] : [[`${at}.content`, content]]),
        ...(callId === undefined ? [] : [[`${at}.tool_call_id`, callId]]),
        ...(calls as readonly Made[]).flatMap(({ id, name, args }, place_) => {
          const call = `${at}.tool_calls.${place_}.tool_call`;
          return [
            [`${call}.id`, id],
            [`${call}.function.name`, name],
            [`${call}.function.arguments`, args],
          ];
        }),
      ] as [string, unknown][];
    }),
  );
}

/** A batch of spans as an exporter sends it. */
export function batchOf(spans: readonly Foreign[], isJson: boolean): Uint8Array {
  const body = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] };
  if (isJson) return Uint8Array.from(Buffer.from(JSON.stringify(body)));
  const inner = Buffer.concat(spans.map((span) => field(2, spanBytes(span))));
  return Uint8Array.from(field(1, field(1, Buffer.alloc(0)), field(2, inner)));
}

function spanBytes({
  traceId,
  spanId,
  parentSpanId,
  name,
  attributes,
  status,
  flags,
  ...times
}: Foreign): Buffer {
  const { code, message } = (status ?? {}) as Foreign;
  const fixed64 = (value: unknown): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value as string));
    return bytes;
  };
  const fixed32 = Buffer.alloc(4);
  fixed32.writeUInt32LE(flags as number);
  return Buffer.concat([
    field(1, Buffer.from(traceId as string, 'hex')),
    field(2, Buffer.from(spanId as string, 'hex')),
    parentSpanId === undefined ? Buffer.alloc(0) : field(4, Buffer.from(parentSpanId as string, 'hex')),
    field(5, Buffer.from(name as string)),
    Buffer.from([(7 << 3) | 1]),
    fixed64(times['startTimeUnixNano']),
    Buffer.from([(8 << 3) | 1]),
    fixed64(times['endTimeUnixNano']),
    ...(attributes as readonly { key: string; value: Foreign }[]).map(({ key, value }) =>
      field(9, field(1, Buffer.from(key)), field(2, valueBytes(value))),
    ),
    code === undefined
      ? Buffer.alloc(0)
      : field(15, field(2, Buffer.from(message as string)), Buffer.from([3 << 3, code as number])),
    varint(BigInt((16 << 3) | 5)),
    fixed32,
  ]);
}

function valueBytes({ stringValue, intValue, arrayValue }: Foreign): Buffer {
  if (intValue !== undefined)
    return Buffer.concat([Buffer.from([3 << 3]), varint(BigInt(intValue as number))]);
  if (arrayValue === undefined) return field(1, Buffer.from(stringValue as string));
  const { values } = arrayValue as { readonly values: readonly Foreign[] };
  return field(5, ...values.map((value) => field(1, valueBytes(value))));
}

/** A field of bytes. */
function field(number: number, ...parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(parts);
  return Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
