import { parsedJson } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { Line } from '../line.ts';
import type { Exchange, Lines } from '../lines.ts';
import type { CallOfLine, ToldPlace } from '../place.ts';
import { recordTexts } from '../record-texts.ts';
import type { WireAnswer, WireCall } from '../wire/api.ts';
import { type ToldCall, toldCallOf } from './model-span.ts';
import { readAttribute, type Span } from './span.ts';

/** Most bytes of spans that wait for the rest of their trace, and most spans above each other. */
const most = { bytes: 64 * 2 ** 20, depth: 1_000 } as const;

/** Milliseconds without a new span after which a trace is read: a whole one, and one of which spans are missing. */
const quietMs = { whole: 1_000, part: 30_000 } as const;

type ToolsOfCalls = ReadonlyMap<Span, readonly (Span | undefined)[]>;

/** Tells the beginning and the end of a span. */
type Report = readonly [begin: () => void, end: () => void];

/**
 * Reads spans as exchanges of the same conversations that requests are read into. Batches come in any order and a span
 * comes when it ends, so a trace is kept until nothing of it is missing, and then read in the order of its times.
 */
export class SpanReader {
  count = 0;
  readonly #lines: Lines;
  readonly #setClock: (ms: number) => void;
  readonly #traces = new Map<string, { readonly spans: Map<string, Span>; touchedAt: number }>();
  /** The spans that are read now, the tools that the calls of each answer ran, and the calls of these tools. */
  #spans: ReadonlyMap<string, Span> = new Map();
  #tools: ToolsOfCalls = new Map();
  #calls = new Map<Span, CallOfLine>();

  constructor(lines: Lines, setClock: (ms: number) => void) {
    this.#lines = lines;
    this.#setClock = setClock;
  }

  take(spans: readonly Span[], now: number): void {
    for (const span of spans) {
      const trace = this.#traces.get(span.trace) ?? { spans: new Map(), touchedAt: now };
      this.#traces.set(span.trace, trace);
      if (!trace.spans.has(span.id)) this.count++;
      trace.spans.set(span.id, span);
      trace.touchedAt = now;
    }
  }

  /** Reads the traces that are whole by now, or all of them. */
  read(now: number, isAll: boolean): void {
    const ready: Span[] = [];
    let bytes = 0;
    for (const [id, { spans, touchedAt }] of [...this.#traces].toReversed()) {
      const isWhole = [...spans.values()].every(({ parent }) => parent === null || spans.has(parent));
      for (const span of spans.values()) bytes += span.bytes;
      const isDue = now - touchedAt >= (isWhole ? quietMs.whole : quietMs.part);
      if (!isAll && !isDue && bytes <= most.bytes) continue;
      this.#traces.delete(id);
      ready.push(...spans.values());
    }
    this.#spans = new Map(ready.map((span) => [keyOf(span.trace, span.id), span]));
    this.#calls = new Map();
    for (const { at, tell } of this.#moments()) {
      this.#setClock(at);
      tell();
    }
  }

  #moments() {
    const below = new Map<Span | undefined, Span[]>();
    for (const span of this.#spans.values()) push(below, this.#parentOf(span), span);
    const told = new Map<Span, ToldCall>();
    for (const span of this.#spans.values()) {
      // A call of a model around others only repeats them.
      const isCall = span.kind === 'model' && !below.get(span)?.some(({ kind }) => kind === 'model');
      const call = isCall ? toldCallOf(span) : null;
      if (call !== null) told.set(span, call);
    }
    this.#tools = toolsOf(told, [...this.#spans.values()]);
    const askers = new Map([...this.#tools].flatMap(([model, tools]) => tools.map((tool) => [tool, model])));
    const moments: { readonly at: number; readonly tell: () => void }[] = [];
    // Within a millisecond, a span begins before those below it, ends after them, and before the next one beside it.
    const visit = (span: Span, depth: number): void => {
      const call = told.get(span);
      const [begin, end] = call === undefined ? this.#ofTool(span) : this.#ofModel(span, call);
      moments.push({ at: span.start, tell: begin });
      if (depth < most.depth) for (const one of inOrder(below.get(span) ?? [], askers)) visit(one, depth + 1);
      moments.push({ at: span.end, tell: end });
    };
    for (const span of inOrder(below.get(undefined) ?? [], askers)) visit(span, 0);
    return moments.toSorted((a, b) => a.at - b.at);
  }

  #ofModel(span: Span, { request, answer }: ToldCall): Report {
    let line: Line | null = null;
    let exchange: Exchange | null = null;
    const begin = (): void => {
      const told = this.#placeOf(span, request.model);
      line = this.#lines.answeredIn(answer, span.start, span.end);
      if (line === null) exchange = this.#lines.ask(request, 'Agent', span.bytes, told);
      else if (told !== null) compare(line, told);
      line ??= exchange?.line ?? null;
    };
    const end = (): void => {
      if (exchange !== null) this.#lines.take(exchange, answer);
      const calls = callsOf(exchange?.answer ?? answer);
      if (exchange !== null) this.#lines.end(exchange, false, 0);
      for (const [index, call] of calls.entries()) {
        const tool = this.#tools.get(span)?.[index];
        const place = { line: line as Line, key: call.id ?? '' };
        if (tool !== undefined) this.#calls.set(tool, place);
        // A tool may run while the rest of the answer comes.
        if (tool === undefined || tool.start < span.end) this.#lines.startCall(place);
        if (tool !== undefined && tool.end < span.end) this.#ofTool(tool)[1]();
      }
    };
    return [begin, end];
  }

  #ofTool(span: Span): Report {
    const begin = (): void => this.#lines.startCall(this.#calls.get(span));
    const end = (): void => {
      const call = this.#calls.get(span);
      if (call === undefined) return;
      const { error, start, end: endedAt } = span;
      const text = readAttribute(span, 'gen_ai.tool.call.result', 'output.value');
      const failed = error === null ? null : ({ outcome: 'failed', error } as const);
      const output = text === '' ? '' : parsedJson(text);
      if (this.#lines.endCall(call, failed ?? { outcome: 'completed', output }, text)) return;
      // The next request came before this span, and has ended the call.
      const ran = { name: nameOfTool(span), ms: endedAt - start, error };
      call.line.journal.setMetadata(`tool ${call.key}`, ran, call.line.path);
    };
    return [begin, end];
  }

  /** The place of a model call by the spans above it; null when they name no agent and no tool. */
  #placeOf(span: Span, model: string | null): ToldPlace | null {
    const agent = this.#above(span, /agent|tool/);
    const tool = agent?.kind === 'agent' ? this.#above(agent, /tool/) : agent;
    if (agent === null) return null;
    const given = readAttribute(agent, 'gen_ai.agent.name', 'agent.name', 'graph.node.id');
    const name = given || agent.name.replace('invoke_agent ', '');
    // The AI SDK names an agent by its model.
    const isName = agent !== tool && name !== model;
    return { parent: (tool && this.#calls.get(tool)) ?? null, name: isName ? name : null };
  }

  #parentOf({ trace, parent }: Span): Span | undefined {
    return parent === null ? undefined : this.#spans.get(keyOf(trace, parent));
  }

  #above(from: Span, kinds: RegExp): Span | null {
    let span = this.#parentOf(from);
    for (let depth = 0; span && !kinds.test(span.kind) && depth < most.depth; depth++)
      span = this.#parentOf(span);
    return span && kinds.test(span.kind) ? span : null;
  }
}

/** The key of something in a trace: ids that a program counts begin anew in each. */
function keyOf(trace: string, id: string): string {
  return `${trace} ${id}`;
}

/** Notes of a conversation whose place was guessed from its requests what spans say of it. */
function compare({ journal, path, parent }: Line, told: ToldPlace): void {
  const isRight = parent?.line === told.parent?.line && parent?.key === told.parent?.key;
  const said = isRight ? recordTexts.toldRight : recordTexts.toldOther;
  if (parent !== told.parent) journal.setMetadata('recorded', said, path);
}

/** The tools that ran the calls of each answer: by the id of the call, or the next one with its name and arguments. */
function toolsOf(told: ReadonlyMap<Span, ToldCall>, spans: readonly Span[]): ToolsOfCalls {
  const free = new Map<string, Span[]>();
  const formOf = (name: string, args: string): string => JSON.stringify([name, parsedJson(args)]);
  for (const tool of inOrder(spans.filter(({ kind }) => kind === 'tool'))) {
    const id = readAttribute(tool, 'gen_ai.tool.call.id', 'tool_call.id');
    const args = readAttribute(tool, 'gen_ai.tool.call.arguments', 'input.value');
    push(free, keyOf(tool.trace, id || formOf(nameOfTool(tool), args)), tool);
  }
  const takeTool = (key: string, from: number): Span | undefined => {
    const tools = free.get(key) ?? [];
    const index = tools.findIndex(({ start }) => start >= from);
    return index < 0 ? undefined : tools.splice(index, 1)[0];
  };
  const models = inOrder([...told.keys()]).toSorted((a, b) => a.end - b.end);
  return new Map(
    models.map((model) => {
      const calls = callsOf(told.get(model)!.answer);
      const tools = calls.map(
        ({ id, name, args }) =>
          (id === null ? undefined : takeTool(keyOf(model.trace, id), -Infinity)) ??
          takeTool(keyOf(model.trace, formOf(name, args)), model.start),
      );
      return [model, tools];
    }),
  );
}

function push<K>(lists: Map<K, Span[]>, key: K, span: Span): void {
  if (!lists.has(key)) lists.set(key, []);
  lists.get(key)?.push(span);
}

function callsOf({ parts }: WireAnswer): readonly WireCall[] {
  return parts.flatMap((part) => (part.type === 'call' ? [part] : []));
}

/**
 * Spans in an order that does not depend on the one in which they came. With one time, a tool comes behind the model that
 * asked for it (`askers`) and before the next model, whose input is longer.
 */
function inOrder(spans: readonly Span[], askers?: ReadonlyMap<Span | undefined, Span>): readonly Span[] {
  const rankOf = (span: Span): string => {
    const model = span.kind === 'model' ? span : askers?.get(span);
    const place = model === undefined ? 'other' : `${String(model.bytes).padStart(12, '0')} ${model.id}`;
    return `${place} ${span === model ? 0 : 1} ${span.id}`;
  };
  return spans.toSorted((a, b) => a.start - b.start || a.end - b.end || (rankOf(a) < rankOf(b) ? -1 : 1));
}

function nameOfTool(tool: Span): string {
  return readAttribute(tool, 'gen_ai.tool.name', 'tool.name') || tool.name.replace('execute_tool ', '');
}
