import { textOf } from '@vitrine/core/internal/kit/text';
import { argumentsOf } from '@vitrine/messages/internal/reading/part';
import type { RemoteEvent } from '@vitrine/ag-ui/internal/remote/remote-run';
import { SnapshotMessages } from '@vitrine/ag-ui/internal/snapshot-messages';
import { type Foreign, foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { type OpenCall, questionsOf, type ThreadInterrupt } from './thread-questions.ts';
import {
  endOf,
  errorIn,
  eventOf,
  fileIn,
  idOf,
  keyOf,
  reasonIn,
  resultOf,
  sharedIn,
  type ThreadEvent,
  usageIn,
} from './thread-values.ts';

export type ThreadEnd = { readonly status: 'completed' | 'failed' | 'interrupted'; readonly error: string };

/** A part of a message that is being told. */
type Block = { callId: string | null; isReported: boolean };
type OpenMessage = {
  readonly id: string;
  readonly from: number;
  readonly model: unknown;
  readonly blocks: Map<unknown, Block>;
};
/** A subagent at a place, or the tool that runs there, of which all below is a subagent. */
type Subagent = {
  readonly callId: string;
  readonly name: string;
  readonly isBelow: boolean;
  isTold: boolean;
};

/** The wishes and the knowledge of a reader of a thread. */
export type ThreadReader = {
  /** Calls of an earlier run that the person has answered. */
  readonly awaited: readonly string[];
  /** Ids of the messages and calls that both sides have. */
  readonly known: Iterable<string>;
  /**
   * True for the panel, which is told of subagents, of running tools, and at once of questions. What subagents say is
   * counted and left out otherwise.
   */
  readonly isWatched: boolean;
  readonly onSkipped: (what: string) => void;
};

/** Events that say nothing to the loop. */
const quiet = new Set(
  `lifecycle/started lifecycle/running lifecycle/completed lifecycle/failed lifecycle/interrupted messages/usage messages/provider
  messages/error input.answered updates checkpoints tasks custom values`.split(/\s+/),
);

/** Translates the events of one run of a thread to those of AG-UI. */
export class ThreadEvents {
  readonly #onSkipped: (what: string) => void;
  readonly #isWatched: boolean;
  readonly #awaited: ReadonlySet<string>;
  /** The messages that only the state of the graph has, as of a graph that does not stream. */
  readonly #whole: SnapshotMessages;
  /** The message in flight of each node; null for one that is no answer. */
  readonly #messages = new Map<string, OpenMessage | null>();
  /** The calls of this run without a result, by their ids. */
  readonly #open = new Map<string, OpenCall>();
  readonly #subagents = new Map<string, Subagent>();
  /** The outputs of running tools so far. */
  readonly #outputs = new Map<string, string>();
  /** The subagent that speaks in the event that is taken; null for the agent itself. */
  #owner: string | null = null;
  #interrupts: readonly ThreadInterrupt[] = [];
  /** The questions that were told at once. */
  readonly #asked = new Map<string, readonly Foreign[]>();
  #end: ThreadEnd | null = null;

  constructor({ awaited, known, isWatched, onSkipped }: ThreadReader) {
    this.#awaited = new Set(awaited);
    this.#whole = new SnapshotMessages(known);
    this.#isWatched = isWatched;
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

  /** Ids of the messages and calls that both sides have now. */
  get known(): Iterable<string> {
    return this.#whole.known;
  }

  /** The events for one of the thread, each with its number and the number from which the thread tells it whole. */
  take(raw: Foreign): readonly RemoteEvent[] {
    const event = eventOf(raw);
    const { type, place, seq } = event;
    const owner = (this.#owner = this.#subagentAt(place));
    const isOfRun =
      this.#isWatched || owner === null || type === 'input.requested' || type === 'lifecycle/started';
    if (!isOfRun && !quiet.has(type)) this.#onSkipped(`${type} of a subagent`);
    if (type === 'messages/message-start') this.#whole.know(textOf(event.data['id']));
    const tag = owner === null ? {} : { subagentRunId: owner };
    const events = isOfRun ? this.#handle(event).map((one) => ({ ...tag, ...one })) : [];
    const all = [...this.#begin(owner), ...events].flatMap((one) => this.#whole.take(one));
    return all.map((one) => ({ from: seq, ...one, seq }));
  }

  /** The last events of the run: its open calls and its questions. `error` is used where the run named none. */
  finish(end: ThreadEnd, error: string): readonly RemoteEvent[] {
    return this.#ends(end, error).flatMap((one) => this.#whole.take(one));
  }

  #ends({ status, error: reported }: ThreadEnd, error: string): readonly RemoteEvent[] {
    if (status === 'completed') return [{ type: 'RUN_FINISHED' }];
    if (status === 'failed') return [{ type: 'RUN_ERROR', message: reported || error }];
    if (this.#interrupts.length === 0)
      return [
        {
          type: 'RUN_ERROR',
          message: 'The run was cancelled at the backend.',
          outcome: { type: 'cancelled' },
        },
      ];
    const interrupts = this.#questions();
    const asked = new Set(interrupts.map(({ toolCallId }) => toolCallId));
    // The graph begins them anew when it goes on.
    const left = this.#isWatched ? [] : this.openCalls.filter((id) => !asked.has(id));
    left.forEach((id) => this.#open.delete(id));
    return [
      ...left.map((id) =>
        endOf(id, 'interrupted', 'The run waits for a person, and then begins this call anew.'),
      ),
      { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } },
    ];
  }

  /** The subagent that speaks at a place, the outermost where subagents are left out; null for the agent itself. */
  #subagentAt(place: readonly string[]): string | null {
    const keys = place.map((_, index) => keyOf(place.slice(0, index + 1)));
    const isThere = (key: string, index: number): boolean => {
      const subagent = this.#subagents.get(key);
      return subagent !== undefined && (!subagent.isBelow || index < place.length - 1);
    };
    return (this.#isWatched ? keys.findLast(isThere) : keys.find(isThere)) ?? null;
  }

  /** The begin of a subagent that speaks for the first time, where subagents are told. */
  #begin(subagentRunId: string | null): readonly RemoteEvent[] {
    const subagent = subagentRunId === null ? undefined : this.#subagents.get(subagentRunId);
    if (subagent === undefined || subagent.isTold || !this.#isWatched) return [];
    subagent.isTold = true;
    const { callId: parentToolCallId, name } = subagent;
    const parentSubagentRunId = this.#open.get(parentToolCallId)?.owner ?? undefined;
    return [{ type: 'SUBAGENT_STARTED', subagentRunId, name, parentToolCallId, parentSubagentRunId }];
  }

  #handle(event: ThreadEvent): readonly RemoteEvent[] {
    const { type, place, data } = event;
    if (type.startsWith('messages/')) return this.#message(event);
    switch (type) {
      case 'lifecycle/started':
        return this.#startSubagent(place, data);
      case 'lifecycle/completed':
      case 'lifecycle/failed':
      case 'lifecycle/interrupted':
        return this.#endAgent(place, { status: type.slice(10) as ThreadEnd['status'], error: errorIn(data) });
      case 'tools/tool-started':
        return this.#toolStarted(event);
      case 'tools/tool-output-delta':
        return this.#isWatched ? [this.#progress(idOf(data), textOf(data['delta']))] : [];
      case 'tools/tool-finished':
        return [this.#result(resultOf(idOf(data), data['output']))];
      case 'tools/tool-error':
        return [this.#result(endOf(idOf(data), 'failed', textOf(data['message']) || 'The tool failed.'))];
      case 'input.requested':
        return this.#askQuestion(textOf(data['interrupt_id']), data['payload'], place);
      case 'values':
        return place.length === 0 ? sharedIn(data) : [];
      default:
        if (!quiet.has(type) && !type.startsWith('custom:')) this.#onSkipped(type);
        return [];
    }
  }

  #startSubagent(place: readonly string[], { cause, graph_name: given }: Foreign): readonly RemoteEvent[] {
    const { type, tool_call_id: callId } = foreign(cause);
    // Any other graph below the root is a part of its agent.
    if (place.length === 0 || type !== 'toolCall') return [];
    const name = textOf(given) || 'subagent';
    this.#subagents.set(keyOf(place), { callId: textOf(callId), name, isBelow: false, isTold: false });
    return this.#begin(keyOf(place));
  }

  #endAgent(place: readonly string[], end: ThreadEnd): readonly RemoteEvent[] {
    if (place.length === 0) this.#end = end;
    const subagentRunId = keyOf(place);
    if (!this.#isWatched || this.#subagents.get(subagentRunId)?.isBelow !== false) return [];
    const { status, error: message } = end;
    if (status === 'failed') return [{ type: 'SUBAGENT_ERROR', subagentRunId, message }];
    const outcome = { type: status === 'completed' ? 'success' : 'suspended' };
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId, outcome }];
  }

  #askQuestion(id: string, payload: unknown, at: readonly string[]): readonly RemoteEvent[] {
    const interrupt = { id, payload, place: keyOf(at) };
    this.#interrupts = [...this.#interrupts.filter((one) => one.id !== id), interrupt];
    if (!this.#isWatched) return [];
    const interrupts =
      this.#asked.get(id) ?? this.#questionsOf(interrupt, this.#subagentAt(at), new Map(this.#open));
    this.#asked.set(id, interrupts);
    return [{ type: 'ASKED', outcome: { interrupts } }];
  }

  #progress(toolCallId: string, delta: string): RemoteEvent {
    const output = (this.#outputs.get(toolCallId) ?? '') + delta;
    this.#outputs.set(toolCallId, output);
    return { type: 'TOOL_PROGRESS', toolCallId, output };
  }

  #message({ type, place, node, data, seq }: ThreadEvent): readonly RemoteEvent[] {
    const key = `${keyOf(place)} ${node}`;
    if (type === 'messages/message-start') {
      // Servers of LangGraph.js tell only answers, without a role.
      const { role = 'ai', id, metadata } = data;
      const { model } = foreign(metadata);
      const begun = { id: textOf(id), from: seq, model, blocks: new Map() };
      this.#messages.set(key, role === 'ai' ? begun : null);
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

  #part(type: string, message: OpenMessage, data: Foreign): readonly RemoteEvent[] {
    const { id: messageId, blocks, model } = message;
    const { index, content, delta } = data;
    const block = blocks.get(index) ?? { callId: null, isReported: false };
    switch (type) {
      case 'messages/content-block-start':
        blocks.set(index, block);
        return [
          ...this.#text(block, messageId, foreign(content)),
          ...this.#beginCall(block, messageId, foreign(content)),
        ];
      case 'messages/content-block-delta':
        blocks.set(index, block);
        return this.#delta(block, messageId, foreign(delta));
      case 'messages/content-block-finish':
        blocks.set(index, block);
        return this.#finishPart(block, messageId, foreign(content));
      case 'messages/message-finish':
        return [
          {
            type: 'MESSAGE_FINISHED',
            model,
            parts: blocks.size,
            ...reasonIn(data),
            ...usageIn(foreign(data['usage'])),
          },
        ];
      default:
        if (!quiet.has(type)) this.#onSkipped(type);
        return [];
    }
  }

  #beginCall(block: Block, messageId: string, { type, id, name, args }: Foreign): readonly RemoteEvent[] {
    const toolCallId = textOf(id);
    const isCall = type === 'tool_call_chunk' || type === 'tool_call' || type === 'invalid_tool_call';
    if (!isCall || toolCallId === '' || block.callId !== null) return [];
    block.callId = toolCallId;
    const toolCallName = textOf(name) || 'tool';
    this.#open.set(toolCallId, { name: toolCallName, input: null, place: null, owner: this.#owner });
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: messageId },
      ...(textOf(args) === '' ? [] : [{ type: 'TOOL_CALL_ARGS', toolCallId, delta: args }]),
    ];
  }

  /** The text of a part or of a piece of it. */
  #text(block: Block, messageId: string, { type, text, reasoning }: Foreign): readonly RemoteEvent[] {
    const isReasoning = /^reasoning(-delta)?$/.test(textOf(type));
    const delta = isReasoning ? reasoning : /^text(-delta)?$/.test(textOf(type)) ? text : '';
    if (textOf(delta) === '') return [];
    block.isReported = true;
    const id = isReasoning ? `${messageId}-reasoning` : messageId;
    return [{ type: `${isReasoning ? 'REASONING' : 'TEXT'}_MESSAGE_CONTENT`, messageId: id, delta }];
  }

  #delta(block: Block, messageId: string, delta: Foreign): readonly RemoteEvent[] {
    const { type, args, fields } = delta;
    if (type === 'block-delta') return this.#beginCall(block, messageId, foreign(fields));
    if (type !== 'tool-call-delta' || block.callId === null) return this.#text(block, messageId, delta);
    return [{ type: 'TOOL_CALL_ARGS', toolCallId: block.callId, delta: args }];
  }

  #finishPart(block: Block, messageId: string, content: Foreign): readonly RemoteEvent[] {
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
    this.#open.set(toolCallId, {
      name: toolCallName,
      input,
      owner: this.#owner,
      ...known,
      place: keyOf(place),
    });
    const below = { callId: toolCallId, name: toolCallName, isBelow: true, isTold: false };
    if (this.#subagents.get(keyOf(place))?.isBelow !== false || !this.#isWatched)
      this.#subagents.set(keyOf(place), below);
    const runs = this.#isWatched
      ? [{ type: 'TOOL_STARTED', toolCallId, toolCallName, input: argumentsOf(input) }]
      : [];
    if (isKnown) return runs;
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName },
      {
        type: 'TOOL_CALL_ARGS',
        toolCallId,
        delta: typeof input === 'string' ? input : JSON.stringify(input),
      },
      { type: 'TOOL_CALL_END', toolCallId },
      ...runs,
    ];
  }

  #result(event: RemoteEvent): RemoteEvent {
    this.#open.delete(textOf(event['toolCallId']));
    return event;
  }

  /** The questions at the end of the run. */
  #questions(): readonly Foreign[] {
    const left = new Map(this.#open);
    return this.#interrupts.flatMap(
      (interrupt) =>
        this.#asked.get(interrupt.id) ??
        this.#questionsOf(interrupt, this.#subagentAt(interrupt.place.split('/')), left),
    );
  }

  #questionsOf(
    interrupt: ThreadInterrupt,
    owner: string | null,
    left: Map<string, OpenCall>,
  ): readonly Foreign[] {
    for (const [id, call] of left)
      if (this.#awaited.has(id) || (this.#isWatched && call.owner !== owner)) left.delete(id);
    const asked = questionsOf(interrupt, left, this.#interrupts.length === 1);
    if (this.#isWatched) return asked.map((one) => this.#withAsker(one, owner, interrupt));
    if (owner === null) return asked;
    // What a subagent asks is a question of the call that it runs below.
    const toolCallId = this.#subagents.get(owner)?.callId;
    return asked.map((one) =>
      'toolCallId' in one && one['form'] !== undefined ? one : { ...one, toolCallId },
    );
  }

  /** A question with the subagent that asks: a call that runs one does not wait itself. */
  #withAsker(question: Foreign, owner: string | null, { payload }: ThreadInterrupt): Foreign {
    const { toolCallId, ...own } = question;
    const runs = [...this.#subagents].find(([, one]) => one.isTold && one.callId === toolCallId)?.[0];
    if (runs !== undefined) return { ...own, payload, subagentRunId: runs };
    return owner === null ? question : { ...question, subagentRunId: owner };
  }
}
