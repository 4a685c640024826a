import { equalJson, readJson } from '@vitrine/core/internal/kit/json';
import { cutText, textOf, textOrNull } from '@vitrine/core/internal/kit/text';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import { customParts } from '@vitrine/ag-ui/internal/agent-writer';
import type { RemoteEvent } from '@vitrine/ag-ui/internal/remote/remote-run';
import { type Fields, fieldsOf } from './thread-api.ts';

/** An event of the Agent Streaming Protocol. */
type ThreadEvent = {
  readonly type: string;
  /** The namespace: nodes and tasks from the root to the one that speaks. */
  readonly place: readonly string[];
  readonly node: string;
  readonly data: Fields;
  readonly seq: number;
};

/** The end of a run of a thread. */
export type ThreadEnd = { readonly status: 'completed' | 'failed' | 'interrupted'; readonly error: string };

/** A part of a message that is being told. */
type Block = { callId: string | null; isReported: boolean };
type OpenMessage = { readonly id: string; readonly from: number; readonly blocks: Map<unknown, Block> };
/** A call without a result, with the place where it runs, which is null before it does. */
type OpenCall = { readonly name: string; readonly input: unknown; readonly place: string | null };
type Interrupt = { readonly id: string; readonly payload: unknown; readonly place: readonly string[] };

/** Events that say nothing to the loop. */
const quiet = new Set(
  `lifecycle/started lifecycle/running lifecycle/completed lifecycle/failed lifecycle/interrupted messages/usage messages/provider
  messages/error tools/tool-output-delta input.answered updates checkpoints tasks custom values`.split(/\s+/),
);

/** Translates the events of one run of a thread to those of AG-UI. */
export class ThreadEvents {
  readonly #onSkipped: (what: string) => void;
  /** Calls of an earlier run that the person has answered. */
  readonly #awaited: ReadonlySet<string>;
  /** The message in flight of each node; null for one that is no answer. */
  readonly #messages = new Map<string, OpenMessage | null>();
  /** The calls of this run without a result, by their ids. */
  readonly #open = new Map<string, OpenCall>();
  /** The call by which a subagent speaks at a place, or below it. */
  readonly #subagents = new Map<string, { readonly callId: string; readonly isBelow: boolean }>();
  #interrupts: readonly Interrupt[] = [];
  #end: ThreadEnd | null = null;

  constructor(awaited: ReadonlySet<string>, onSkipped: (what: string) => void) {
    this.#awaited = awaited;
    this.#onSkipped = onSkipped;
  }

  /** The end of the run; null while it goes on. */
  get end(): ThreadEnd | null {
    return this.#end;
  }

  /** Ids of the calls without a result. */
  get openCalls(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** The events for one of the thread, each with its number and the number from which the thread tells it whole. */
  take(raw: Fields): readonly RemoteEvent[] {
    const event = eventOf(raw);
    const { type, place, seq } = event;
    const subagentRunId = this.#subagentAt(place);
    const isOfRun = subagentRunId === null || type === 'input.requested' || type === 'lifecycle/started';
    if (!isOfRun && !quiet.has(type)) this.#onSkipped(`${type} of a subagent`);
    const events = isOfRun ? this.#handle(event) : [];
    return events.map((one) => ({ from: seq, ...one, seq }));
  }

  /** The last events of the run: its open calls and its questions. `error` is used where the run named none. */
  finish({ status, error: reported }: ThreadEnd, error: string): readonly RemoteEvent[] {
    if (status === 'completed') return [{ type: 'RUN_FINISHED' }];
    if (status === 'failed') return [{ type: 'RUN_ERROR', message: reported || error }];
    if (this.#interrupts.length === 0)
      return [{ type: 'RUN_ERROR', message: 'The run was cancelled at the backend.' }];
    const interrupts = this.#questions();
    const asked = new Set(interrupts.map(({ toolCallId }) => toolCallId));
    // The graph begins them anew when it goes on.
    const left = this.openCalls.filter((id) => !asked.has(id));
    left.forEach((id) => this.#open.delete(id));
    return [
      ...left.map((id) =>
        endOf(id, 'interrupted', 'The run waits for a person, and then begins this call anew.'),
      ),
      { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } },
    ];
  }

  /** The outermost subagent that speaks at a place; null for the agent itself. */
  #subagentAt(place: readonly string[]): string | null {
    for (let depth = 1; depth <= place.length; depth++) {
      const key = keyOf(place.slice(0, depth));
      const subagent = this.#subagents.get(key);
      if (subagent !== undefined && (!subagent.isBelow || depth < place.length)) return key;
    }
    return null;
  }

  #handle(event: ThreadEvent): readonly RemoteEvent[] {
    const { type, place, data } = event;
    if (type.startsWith('messages/')) return this.#message(event);
    switch (type) {
      case 'lifecycle/started':
        this.#started(place, data);
        return [];
      case 'lifecycle/completed':
      case 'lifecycle/failed':
      case 'lifecycle/interrupted':
        if (place.length === 0)
          this.#end = { status: type.slice(10) as ThreadEnd['status'], error: errorIn(data) };
        return [];
      case 'tools/tool-started':
        return this.#toolStarted(event);
      case 'tools/tool-finished':
        return [this.#result(resultOf(idOf(data), data['output']))];
      case 'tools/tool-error':
        return [this.#result(endOf(idOf(data), 'failed', textOf(data['message']) || 'The tool failed.'))];
      case 'input.requested':
        this.#interrupts = [
          ...this.#interrupts.filter(({ id }) => id !== data['interrupt_id']),
          { id: textOf(data['interrupt_id']), payload: data['payload'], place },
        ];
        return [];
      case 'values':
        return place.length === 0 ? sharedIn(data) : [];
      default:
        if (!quiet.has(type) && !type.startsWith('custom:')) this.#onSkipped(type);
        return [];
    }
  }

  #started(place: readonly string[], { cause }: Fields): void {
    const { type, tool_call_id: callId } = fieldsOf(cause);
    // Any other graph below the root is a part of its agent.
    if (place.length === 0 || type !== 'toolCall') return;
    this.#subagents.set(keyOf(place), { callId: textOf(callId), isBelow: false });
  }

  #message({ type, place, node, data, seq }: ThreadEvent): readonly RemoteEvent[] {
    const key = `${keyOf(place)} ${node}`;
    if (type === 'messages/message-start') {
      // Servers of LangGraph.js tell only answers, without a role.
      const { role = 'ai', id } = data;
      this.#messages.set(key, role === 'ai' ? { id: textOf(id), from: seq, blocks: new Map() } : null);
      return [];
    }
    const message = this.#messages.get(key);
    if (message === null || (message === undefined && quiet.has(type))) return [];
    if (message === undefined) {
      this.#onSkipped(`${type} without a message`);
      return [];
    }
    if (type === 'messages/message-finish') this.#messages.delete(key);
    return this.#part(type, message, data).map((one) => ({ from: message.from, ...one }));
  }

  #part(type: string, { id: messageId, blocks }: OpenMessage, data: Fields): readonly RemoteEvent[] {
    const { index, content, delta } = data;
    const block = blocks.get(index) ?? { callId: null, isReported: false };
    switch (type) {
      case 'messages/content-block-start':
        blocks.set(index, block);
        return [
          ...this.#text(block, messageId, fieldsOf(content)),
          ...this.#beginCall(block, messageId, fieldsOf(content)),
        ];
      case 'messages/content-block-delta':
        blocks.set(index, block);
        return this.#delta(block, messageId, fieldsOf(delta));
      case 'messages/content-block-finish':
        blocks.set(index, block);
        return this.#finishPart(block, messageId, fieldsOf(content));
      case 'messages/message-finish':
        return [{ type: 'MESSAGE_FINISHED', ...reasonIn(data), ...usageIn(fieldsOf(data['usage'])) }];
      default:
        if (!quiet.has(type)) this.#onSkipped(type);
        return [];
    }
  }

  #beginCall(block: Block, messageId: string, { type, id, name, args }: Fields): readonly RemoteEvent[] {
    const toolCallId = textOf(id);
    const isCall = type === 'tool_call_chunk' || type === 'tool_call' || type === 'invalid_tool_call';
    if (!isCall || toolCallId === '' || block.callId !== null) return [];
    block.callId = toolCallId;
    const toolCallName = textOf(name) || 'tool';
    this.#open.set(toolCallId, { name: toolCallName, input: null, place: null });
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: messageId },
      ...(textOf(args) === '' ? [] : [{ type: 'TOOL_CALL_ARGS', toolCallId, delta: args }]),
    ];
  }

  /** The text of a part or of a piece of it. */
  #text(block: Block, messageId: string, { type, text, reasoning }: Fields): readonly RemoteEvent[] {
    const isReasoning = /^reasoning(-delta)?$/.test(textOf(type));
    const delta = isReasoning ? reasoning : /^text(-delta)?$/.test(textOf(type)) ? text : '';
    if (textOf(delta) === '') return [];
    block.isReported = true;
    const id = isReasoning ? `${messageId}-reasoning` : messageId;
    return [{ type: `${isReasoning ? 'REASONING' : 'TEXT'}_MESSAGE_CONTENT`, messageId: id, delta }];
  }

  #delta(block: Block, messageId: string, delta: Fields): readonly RemoteEvent[] {
    const { type, args, fields } = delta;
    if (type === 'block-delta') return this.#beginCall(block, messageId, fieldsOf(fields));
    if (type !== 'tool-call-delta' || block.callId === null) return this.#text(block, messageId, delta);
    return [{ type: 'TOOL_CALL_ARGS', toolCallId: block.callId, delta: args }];
  }

  #finishPart(block: Block, messageId: string, content: Fields): readonly RemoteEvent[] {
    const { type, args, error } = content;
    if (type === 'text' || type === 'reasoning')
      return block.isReported ? [] : this.#text(block, messageId, content);
    if (type !== 'tool_call' && type !== 'invalid_tool_call') return fileIn(content);
    const begun = this.#beginCall(block, messageId, { ...content, args: '' });
    const { callId } = block;
    if (callId === null) return begun;
    const ended = { type: 'TOOL_CALL_END', toolCallId: callId, input: args ?? {} };
    const call = this.#open.get(callId);
    if (call !== undefined) this.#open.set(callId, { ...call, input: args });
    if (type === 'tool_call') return [...begun, ended];
    const why = textOf(error) || 'The arguments are no JSON.';
    return [...begun, ended, this.#result(endOf(callId, 'failed', why))];
  }

  /** A call that no message has announced, as of a graph that goes on, begins here. */
  #toolStarted({ place, data }: ThreadEvent): readonly RemoteEvent[] {
    const { tool_name: name, input = {} } = data;
    const toolCallId = idOf(data);
    const toolCallName = textOf(name) || 'tool';
    const known = this.#open.get(toolCallId);
    const isKnown = known !== undefined || this.#awaited.has(toolCallId);
    this.#open.set(toolCallId, { name: toolCallName, input, ...known, place: keyOf(place) });
    this.#subagents.set(keyOf(place), { callId: toolCallId, isBelow: true });
    if (isKnown) return [];
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName },
      {
        type: 'TOOL_CALL_ARGS',
        toolCallId,
        delta: typeof input === 'string' ? input : JSON.stringify(input),
      },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  }

  #result(event: RemoteEvent): RemoteEvent {
    this.#open.delete(textOf(event['toolCallId']));
    return event;
  }

  /** The questions at the end of the run, with the calls that they are about as far as that is certain. */
  #questions(): readonly Fields[] {
    const left = new Map([...this.#open].filter(([id]) => !this.#awaited.has(id)));
    return this.#interrupts.flatMap(({ id, payload, place }): readonly Fields[] => {
      const { requests, form } = requestsIn(payload);
      const asked = requests.map((asks) => takeAsked(left, asks));
      if (asked.length > 0 && !asked.includes(null))
        return asked.map((toolCallId, index) => {
          const message = textOrNull(requests[index]?.['description']);
          return { id, message, toolCallId, form };
        });
      const message = questionIn(payload);
      const subagentRunId = this.#subagentAt(place);
      const caller = subagentRunId === null ? null : this.#subagents.get(subagentRunId)?.callId;
      const here = [...left].filter(([, call]) => call.place?.startsWith(keyOf(place)));
      const toolCallId = caller ?? (here.length === 1 && this.#interrupts.length === 1 ? here[0]?.[0] : null);
      return [toolCallId == null ? { id, message } : { id, message, toolCallId }];
    });
  }
}

/** Takes the call that a request is about: the only one of its name, or the first with its arguments too. */
function takeAsked(calls: Map<string, OpenCall>, { name, action, args }: Fields): string | null {
  const named = [...calls].filter(([, call]) => call.name === (textOf(name) || textOf(action)));
  const same = named.find(([, { input }]) => equalJson(toJson(input), toJson(args)));
  const [id = null] = same ?? (named.length === 1 ? (named[0] ?? []) : []);
  if (id !== null) calls.delete(id);
  return id;
}

function eventOf({ method, params, seq }: Fields): ThreadEvent {
  const { namespace, node, data: given } = fieldsOf(params);
  const channel = textOf(method) || 'no event';
  const data = fieldsOf(given);
  const hasEvents = channel === 'messages' || channel === 'tools' || channel === 'lifecycle';
  return {
    type: hasEvents ? `${channel}/${textOf(data['event'])}` : channel,
    place: Array.isArray(namespace) ? namespace.map(String) : [],
    node: textOf(node),
    data,
    seq: typeof seq === 'number' ? seq : 0,
  };
}

function keyOf(place: readonly string[]): string {
  return place.join('/');
}

function idOf({ tool_call_id: id }: Fields): string {
  return textOf(id);
}

/** A file of an answer. */
function fileIn({ type, url, base64, data, mime_type, mimeType, name }: Fields): readonly RemoteEvent[] {
  if (!/^(image|audio|video|file)$/.test(textOf(type))) return [];
  const bytes = textOf(base64) || textOf(data);
  const where = bytes === '' ? { url: textOf(url) } : { data: bytes };
  const mediaType = textOf(mime_type) || textOf(mimeType) || 'application/octet-stream';
  const value = { mediaType, filename: textOrNull(name), ...where };
  return [{ type: 'CUSTOM', name: customParts.file, value }];
}

/** The reason of an answer that was cut. */
function reasonIn({ reason }: Fields): Fields {
  if (reason === 'length') return { finishReason: reason };
  return reason === 'content_filter' ? { finishReason: 'content-filter' } : {};
}

function usageIn(usage: Fields): Fields {
  if (Object.keys(usage).length === 0) return {};
  const { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: totalTokens } = usage;
  const { cache_read: cachedInputTokens, cache_creation: cacheWriteInputTokens } = fieldsOf(
    usage['input_token_details'],
  );
  const { reasoning: reasoningTokens } = fieldsOf(usage['output_token_details']);
  const figures = {
    inputTokens,
    outputTokens,
    totalTokens,
    cachedInputTokens,
    cacheWriteInputTokens,
    reasoningTokens,
  };
  return { usage: figures };
}

/** The error of a run, which servers of LangGraph.js tell as JSON with its name. */
function errorIn({ error }: Fields): string {
  const text = textOf(error);
  const read = readJson(text);
  return (read.ok && textOf(fieldsOf(read.value)['message'])) || text;
}

/** The state of the graph. Its messages are those of the stream. */
function sharedIn({ messages: _messages, ...snapshot }: Fields): readonly RemoteEvent[] {
  return Object.keys(snapshot).length === 0 ? [] : [{ type: 'STATE_SNAPSHOT', snapshot }];
}

/** The result of a call, whose output is a tool message, a command with one, or any value. */
function resultOf(toolCallId: string, output: unknown): RemoteEvent {
  const { messages } = fieldsOf(fieldsOf(output)['update']);
  const listed: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const message = [output, ...listed].map(fieldsOf).find(({ type }) => type === 'tool');
  if (message?.['status'] === 'error') return endOf(toolCallId, 'failed', message['content']);
  const content = message === undefined ? output : message['content'];
  if (typeof content === 'string' || message !== undefined)
    return { type: 'TOOL_CALL_RESULT', toolCallId, content };
  return { type: 'TOOL_CALL_RESULT', toolCallId, metadata: { vitrine: { result: toJson(content) } } };
}

function endOf(toolCallId: string, outcome: 'failed' | 'interrupted', content: unknown): RemoteEvent {
  return { type: 'TOOL_CALL_RESULT', toolCallId, content, metadata: { vitrine: { outcome } } };
}

/** The calls that an interrupt of the human-in-the-loop middleware asks about, and the form of its answer. */
function requestsIn(payload: unknown): { readonly requests: readonly Fields[]; readonly form: string } {
  const { action_requests: inPython, actionRequests: inJavaScript } = fieldsOf(payload);
  const given = inPython ?? inJavaScript;
  return {
    requests: Array.isArray(given) ? given.map(fieldsOf) : [],
    form: inPython === undefined ? 'editedAction' : 'edited_action',
  };
}

/** The question of an interrupt to the person. */
function questionIn(payload: unknown): string {
  if (typeof payload === 'string') return cutText(payload, 4_000);
  const fields = fieldsOf(payload);
  const said = [fields['question'], fields['message'], fields['description']].map(textOf).find(Boolean);
  return cutText(said ?? JSON.stringify(payload ?? null), 4_000);
}
