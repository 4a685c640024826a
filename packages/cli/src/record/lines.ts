import { AgentState, ErrorInfo, type JsonObject } from '@vitrine/core';
import type { Env } from '@vitrine/core/internal/graph/env';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import { parsedJson } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { CallResult } from '@vitrine/inspect/internal/foreign/observed-agent';
import { ObservedJournal } from '@vitrine/inspect/internal/foreign/observed-journal';
import type { SessionHub } from '@vitrine/inspect';
import { contentHash } from '@vitrine/core/internal/kit/hash';
import { Line, localCall, looseOf, type Printed, printOf } from './line.ts';
import {
  type CallOfLine,
  keysOfResults,
  type NamedAnswer,
  parentOf,
  type Place,
  type PlacedRequest,
  placeOf,
  type ToldPlace,
} from './place.ts';
import { recordTexts } from './record-texts.ts';
import {
  assistantMessage,
  noAnswer,
  toolChoiceOf,
  type WireAnswer,
  type WireMessage,
  type WireRequest,
} from './wire/api.ts';

/** A request and its answer. */
export type Exchange = {
  readonly line: Line;
  readonly print: string;
  answer: WireAnswer;
  /** The time of the first piece of the answer. */
  at: number;
  /** True when the request itself was seen, and not only a span of it. */
  readonly isSeen: boolean;
};

/** Most conversations, and bytes of requests and answers, that are kept. */
const mostKept = { exchanges: 1000, bytes: 256 * 2 ** 20 };

export type LinesOptions = {
  readonly most?: { readonly exchanges: number; readonly bytes: number };
  /** The program as it was typed. Default: each client library is one. */
  readonly program?: string;
};

/** A session of the panel: the conversation that began it, and the subagents below. */
type Session = {
  readonly journal: ObservedJournal;
  readonly lines: Line[];
  exchanges: number;
  bytes: number;
};

/** The conversations of programs, found again from their requests and answers. */
export class Lines {
  /** The number of sessions that were dropped for the limits. */
  dropped = 0;
  readonly #hub: SessionHub;
  readonly #env: Env;
  readonly #most: typeof mostKept;
  readonly #program: string;
  readonly #sessions = new Set<Session>();
  readonly #named = new Map<string, NamedAnswer>();
  readonly #items = new Map<string, WireMessage | null>();
  #answered: Exchange[] = [];

  constructor(hub: SessionHub, env: Env, { most = mostKept, program = '' }: LinesOptions = {}) {
    this.#hub = hub;
    this.#env = env;
    this.#most = most;
    this.#program = program;
  }

  /** Items of answers by their ids, which later requests may name. */
  get items(): ReadonlyMap<string, WireMessage | null> {
    return this.#items;
  }

  get count(): number {
    return this.#sessions.size;
  }

  /**
   * The conversation of a call that was told already: its answer began between two times, and has the same id at the
   * provider. Some clients make ids of their own, so an answer that was seen is also known by its content.
   */
  answeredIn({ ids, parts }: WireAnswer, from: number, to: number): Line | null {
    const print = looseOf(assistantMessage(parts));
    const found = this.#answered.find(({ at, answer, isSeen }) => {
      if (at < from || at > to + 1) return false;
      return (
        answer.ids.some((id) => ids.includes(id)) ||
        (isSeen && looseOf(assistantMessage(answer.parts)) === print)
      );
    });
    return found?.line ?? null;
  }

  /**
   * Takes a request of `bytes`; `client` is the name of the client library. `told` is for a request of which only a span
   * tells: its place, or null where it is guessed.
   */
  ask(request: WireRequest, client: string, bytes: number, told?: ToldPlace | null): Exchange {
    const prints = request.messages.map(printOf);
    const print = contentHash(JSON.stringify([request.system, request.previous, prints]));
    const lines = this.#all().filter((line) => !line.isAsking);
    const asked = { request, prints, print, lines };
    const place = placeOf(asked, this.#named);
    const line = place?.line ?? this.#begin(asked, client, told);
    this.#count(line, bytes);
    if (place?.how === 'retry') this.#retry(line);
    else {
      if (line.failed !== null) this.#endFailed(line);
      this.#goOn(line, asked, place);
    }
    if (line.parent === null && place?.how !== 'retry') {
      const isSingle = place === null && isSingleCall(request);
      line.journal.setMetadata('program', isSingle ? recordTexts.singleCalls : this.#program || client);
    }
    line.touchedAt = this.#env.monotonic();
    line.isAsking = true;
    const { system, tools, settings, model } = request;
    const prompt = {
      system,
      tools,
      settings: settings as JsonObject,
      toolChoice: toolChoiceOf(request.toolChoice),
      messages: line.sent,
    };
    // A span may tell the messages only.
    const isTold = told === undefined || system !== '' || tools.length > 0;
    line.agent.addFacts(isTold ? { model, prompt } : { model });
    if (place?.how === 'retry') line.agent.resetStep();
    else line.agent.beginStep();
    if (request.conversation !== null) this.#named.set(request.conversation, { line, length: 0 });
    return { line, print, answer: noAnswer, at: 0, isSeen: told === undefined };
  }

  /** Takes the answer, as far as it came. */
  take(exchange: Exchange, answer: WireAnswer): void {
    const { line } = exchange;
    const parts = answer.parts.map((part) =>
      part.type === 'call' ? { ...part, id: part.id ?? `${localCall}${this.#env.id()}` } : part,
    );
    exchange.answer = { ...answer, parts };
    exchange.at = this.#env.monotonic();
    this.#answered.push(exchange);
    for (const id of answer.ids) this.#named.set(id, { line, length: line.entries.length + 1 });
    for (const [id, message] of answer.items) this.#items.set(id, message);
    for (const [index, part] of parts.entries())
      if (part.type === 'call') {
        line.agent.startCall(part.id, part.name);
        line.agent.growCall(part.id, part.args);
      } else line.agent.text(String(index), part.text, `${part.type}-delta`);
  }

  /** The answer has ended, or the program has closed the connection before (`isCut`). */
  end({ line, print, answer, isSeen }: Exchange, isCut: boolean, bytes: number): void {
    const { agent } = line;
    const { error, finish: finishReason, usage, model, parts } = answer;
    this.#count(line, bytes);
    line.isAsking = false;
    line.touchedAt = this.#env.monotonic();
    if (error !== null || finishReason === null) {
      const why = error ?? (isCut ? recordTexts.closed : recordTexts.brokeOff);
      line.failed = { print, error: why, isCut: isCut && error === null, at: this.#env.now() };
      return;
    }
    for (const part of parts)
      if (part.type === 'call') agent.giveCall(part.id ?? '', part.name, parsedJson(part.args));
    agent.addFacts({
      finishReason,
      ...(model === null ? {} : { model }),
      ...(usage === null ? {} : { usage }),
    });
    const message = assistantMessage(parts);
    line.push(message);
    line.answer = message.text;
    for (const { id, name, args } of message.calls) {
      line.open.set(id ?? '', { name, args });
      // Spans tell when a call begins.
      if (isSeen) agent.start(id ?? '', name, parsedJson(args));
    }
    if (message.calls.length > 0) return;
    agent.endStep();
    line.adopt();
    agent.end('completed', '');
    line.isRunning = false;
  }

  /** A call has begun to run. */
  startCall(place: CallOfLine | undefined): void {
    const call = place?.line.open.get(place.key);
    if (place && call && !place.line.agent.isSettled(place.key))
      place.line.agent.start(place.key, call.name, parsedJson(call.args));
  }

  /** A call has ended; the program sends its result later, or never. False when its end is known. */
  endCall({ line, key }: CallOfLine, result: CallResult, text: string): boolean {
    if (!line.open.has(key) || line.agent.isSettled(key)) return false;
    this.#endChild(line, key, text);
    line.agent.settle(key, result);
    return true;
  }

  /** The program has ended: nothing more will be told. */
  close(why: string): void {
    for (const line of this.#all().toReversed()) {
      line.isAsking = false;
      if (line.failed !== null) this.#endFailed(line);
      else if (line.isRunning) this.#endUntold(line, why);
    }
  }

  #all(): readonly Line[] {
    return [...this.#sessions].flatMap(({ lines }) => lines);
  }

  #retry(line: Line): void {
    const { failed } = line;
    if (failed === null) return;
    const delayMs = Math.max(0, Math.round(this.#env.now() - failed.at));
    const error = ErrorInfo.of(new Error(failed.error));
    line.journal.emit(line.path, { type: 'inference-retry', attempt: 1, delayMs, error });
    line.failed = null;
  }

  /** Brings a line to the point at which its next model call begins. */
  #goOn(line: Line, asked: Printed, place: Place | null): void {
    const { messages } = asked.request;
    const known = place?.known ?? 0;
    const settled = this.#settle(line, messages, known);
    if (line.isRunning && line.open.size > 0 && settled.size === 0)
      this.#endUntold(line, recordTexts.movedOn);
    else if (line.isRunning) {
      for (const key of line.open.keys()) this.#endChild(line, key, null);
      line.open.clear();
      line.agent.endStep();
    }
    line.adopt();
    if (place !== null && place.how !== 'next')
      line.cut(Math.max(place.kept, settled.size > 0 ? Infinity : 0));
    const isNew = !line.isRunning;
    for (const [index, message] of messages.entries())
      if (index >= known && !settled.has(index))
        line.add(message, message.role === 'user' && isNew ? 'user' : 'app', this.#env);
    line.sent = place?.how === 'named' ? line.whole() : line.messagesOf(asked, known - 1, this.#env);
    if (!isNew) return;
    line.isRunning = true;
    line.agent.begin();
  }

  /** Ends the calls whose results a request has; the places of these results. */
  #settle(line: Line, messages: readonly WireMessage[], from: number): ReadonlySet<number> {
    const keys = keysOfResults(line, messages, from);
    const answer = messages[from - 1];
    // The client has given the calls ids of its own: the line is known by them from now on.
    if (keys.size > 0 && answer?.role === 'assistant') line.renameLast(answer);
    for (const [index, key] of keys) {
      const message = messages[index];
      if (message === undefined) continue;
      const { text, isError } = message;
      const output = text === '' ? '' : parsedJson(text);
      const failed = { outcome: 'failed', error: text } as const;
      this.endCall({ line, key }, isError ? failed : { outcome: 'completed', output }, text);
      line.open.delete(key);
      line.push(message, key);
    }
    return new Set(keys.keys());
  }

  /** A new line: a subagent below an open call, or a session of its own. */
  #begin(asked: PlacedRequest, client: string, told?: ToldPlace | null): Line {
    const hasChild = (line: Line, key: string): boolean => this.#childOf(line, key) !== undefined;
    const guess = told ? null : parentOf(asked, hasChild);
    const parent = told?.parent ?? guess;
    const read = nameOf(asked.request);
    const name = told?.name ?? (read === null ? client : recordTexts.guessed(read));
    if (parent !== null && !hasChild(parent.line, parent.key)) {
      const child = this.#beginChild(parent, guess === null ? name : recordTexts.guessed(read ?? guess.name));
      if (guess !== null) child?.journal.setMetadata('recorded', recordTexts.guess, child.path);
      if (child !== null) return child;
    }
    const knows = { knowsResults: false, knowsRequests: told === undefined };
    const journal = new ObservedJournal(
      { id: this.#env.id(), name },
      { hub: this.#hub, env: this.#env, ...knows },
    );
    const line = new Line({ journal, path: [], parent: null });
    this.#sessions.add({ journal, lines: [line], exchanges: 0, bytes: 0 });
    return line;
  }

  #beginChild({ line, key }: CallOfLine, name: string): Line | null {
    const above = stateAtPath(line.journal.state(), line.path);
    const session = this.#sessionOf(line);
    if (above === null || session === undefined) return null;
    const child = AgentState.create({ parentAgentId: above.agentId }, this.#env);
    const execution = line.agent.delegate(key, name, child);
    if (execution === null) return null;
    const path = [...line.path, execution];
    const own = new Line({ journal: line.journal, path, parent: { line, key } });
    session.lines.push(own);
    own.journal.setMetadata('recordedName', name, own.path);
    return own;
  }

  #childOf(parent: Line, key: string): Line | undefined {
    return this.#sessionOf(parent)?.lines.find(
      (line) => line.parent?.line === parent && line.parent.key === key,
    );
  }

  #sessionOf({ journal }: Line): Session | undefined {
    return [...this.#sessions].find((session) => session.journal === journal);
  }

  /** Ends the subagent of a call whose result is known, or will not be. */
  #endChild(parent: Line, key: string, result: string | null): void {
    const child = this.#childOf(parent, key);
    if (child === undefined) return;
    if (child.failed !== null) this.#endFailed(child);
    else if (child.isRunning) this.#endUntold(child, recordTexts.callEnded);
    const isConfirmed = result !== null && child.answer !== '' && result.includes(child.answer.trim());
    if (isConfirmed) child.journal.setMetadata('recorded', recordTexts.confirmed, child.path);
    parent.agent.endDelegation(key, result === null ? 'stopped' : 'completed');
  }

  #endFailed(line: Line): void {
    const { failed } = line;
    if (failed === null) return;
    line.failed = null;
    if (failed.isCut) line.agent.endUntold(failed.error);
    else line.agent.end('failed', '', new Error(failed.error));
    this.#close(line);
  }

  #endUntold(line: Line, why: string): void {
    for (const key of line.open.keys()) this.#endChild(line, key, null);
    line.agent.endUntold(why);
    this.#close(line);
  }

  #close(line: Line): void {
    line.open.clear();
    line.isRunning = false;
    line.adopt();
    line.journal.tellSkipped();
  }

  /** Counts bytes of a session, and drops the oldest ones over the limits. */
  #count(line: Line, bytes: number): void {
    const session = this.#sessionOf(line);
    if (session === undefined) return;
    session.bytes += bytes;
    session.exchanges += 0.5;
    const sum = { exchanges: 0, bytes: 0 };
    for (const { exchanges, bytes: own } of this.#sessions) {
      sum.exchanges += exchanges;
      sum.bytes += own;
    }
    for (const oldest of this.#sessions) {
      if (sum.exchanges <= this.#most.exchanges && sum.bytes <= this.#most.bytes) return;
      if (oldest === session) continue;
      this.#sessions.delete(oldest);
      oldest.journal.leave();
      sum.exchanges -= oldest.exchanges;
      sum.bytes -= oldest.bytes;
      this.dropped++;
      this.#answered = this.#answered.filter((one) => !oldest.lines.includes(one.line));
      for (const [id, { line: named }] of this.#named)
        if (oldest.lines.includes(named)) this.#named.delete(id);
    }
  }
}

/** True for a request without tools and without an answer before it, as for a title. */
function isSingleCall({ tools, messages, previous }: WireRequest): boolean {
  return tools.length === 0 && previous === null && messages.every(({ role }) => role !== 'assistant');
}

/** The name that a system prompt gives its agent ("You are Weather Helper."); null for none. */
function nameOf({ system }: WireRequest): string | null {
  const start = ['You are ', "You're "].map((words) => [system.indexOf(words), words.length] as const);
  const [at, length] = start.find(([place]) => place >= 0) ?? [-1, 0];
  if (at < 0) return null;
  const said = system.slice(at + length, at + length + 60).replace(/^(?:an? |the )/, '');
  const end = [...',.:;\n('].reduce((least, mark) => {
    const place = said.indexOf(mark);
    return place < 0 ? least : Math.min(least, place);
  }, said.length);
  const name = said.slice(0, Math.min(end, 40)).trim();
  return /^\p{Lu}/u.test(name) ? name : null;
}
