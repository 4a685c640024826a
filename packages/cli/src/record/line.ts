import { Message, type MessagePart } from '@vitrine/core';
import type { Env } from '@vitrine/core/internal/graph/env';
import { contentHash } from '@vitrine/core/internal/kit/hash';
import { parsedJson } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ObservedAgent } from '@vitrine/inspect/internal/foreign/observed-agent';
import type { ObservedJournal } from '@vitrine/inspect/internal/foreign/observed-journal';
import type { WireCall, WireMessage, WireRequest } from './wire/api.ts';

/** A message of a line. */
type Entry = {
  readonly message: WireMessage;
  /** Hash of what two transmissions of one message share. */
  print: string;
  /** Our key of the call that it answers; null for other messages. */
  readonly key: string | null;
  /** Its message in the journal; null until its step has ended. */
  id: string | null;
};

/** A model call that failed, until the program tries it again. */
type Failure = {
  readonly print: string;
  readonly error: string;
  readonly isCut: boolean;
  readonly at: number;
};

/** A request with the print of each message. */
export type Printed = { readonly request: WireRequest; readonly prints: readonly string[] };

/** The fields that make a line. */
type LineInit = Pick<Line, 'journal' | 'path' | 'parent'>;

/** A conversation of a program: what it has sent so far, and where its next request goes on. */
export class Line {
  readonly journal: ObservedJournal;
  /** The place of its agent in the journal. */
  readonly path: readonly string[];
  readonly agent: ObservedAgent;
  /** The line that started it as a subagent, and the call that it runs in. */
  readonly parent: { readonly line: Line; readonly key: string } | null;
  readonly entries: Entry[] = [];
  /** Calls whose results the program has not sent. */
  readonly open = new Map<string, Omit<WireCall, 'id'>>();
  isAsking = false;
  isRunning = false;
  failed: Failure | null = null;
  /** The messages of its last request. */
  sent: readonly Message[] = [];
  touchedAt = 0;
  /** The text of its last answer. */
  answer = '';
  readonly #extras = new Map<string, Message>();

  constructor({ journal, path, parent }: LineInit) {
    this.journal = journal;
    this.path = path;
    this.parent = parent;
    this.agent = journal.agentAt(path);
  }

  /** Number of messages at the beginning that the line and a request share. */
  common(prints: readonly string[]): number {
    let count = 0;
    while (count < prints.length && this.entries[count]?.print === prints[count]) count++;
    return count;
  }

  /** Notes a message whose step has not ended. */
  push(message: WireMessage, key: string | null = null): void {
    this.entries.push({ message, print: printOf(message), key, id: null });
  }

  /** Replaces the print of the last answer by that of the client's form of it. */
  renameLast(message: WireMessage): void {
    const last = this.entries.at(-1);
    if (last?.message.role === 'assistant') last.print = printOf(message);
  }

  add(message: WireMessage, source: 'user' | 'app', env: Env): void {
    const added = Message.of(message.role, this.#partsOf(message), {}, env);
    this.journal.commit(this.path, { type: 'message-add', section: 'messages', source, message: added });
    this.entries.push({ message, print: printOf(message), key: null, id: added.id });
  }

  /** Removes the messages behind a place: the program went back to it. */
  cut(length: number): void {
    const removed = this.entries.splice(length).flatMap(({ id }) => id ?? []);
    const known = new Set(this.journal.messagesAt(this.path).map(({ id }) => id));
    const gone = removed.filter((id) => known.has(id));
    if (gone.length === 0) return;
    const change = { name: 'messages', source: 'app', removed: gone, put: [], added: [] } as const;
    this.journal.commit(this.path, { type: 'section-change', ...change });
  }

  /** Gives the messages that the last step left in the journal to those of the line. */
  adopt(): void {
    const known = new Set(this.entries.map(({ id }) => id));
    const fresh = this.journal.messagesAt(this.path).filter(({ id }) => !known.has(id));
    const calls = new Map(
      fresh.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'tool-call' ? [[part.providerCallId, part.toolCallId]] : [])),
      ) as [string | null, string][],
    );
    for (const entry of this.entries) {
      if (entry.id !== null) continue;
      const { role } = entry.message;
      const found = fresh.find(({ role: other, parts }) => {
        if (role !== 'tool' || other !== 'tool') return role === other;
        return parts.some((part) => part.type === 'tool-result' && part.toolCallId === calls.get(entry.key));
      });
      if (found === undefined) continue;
      entry.id = found.id;
      fresh.splice(fresh.indexOf(found), 1);
    }
  }

  /**
   * The messages of a request as the journal holds them. Those up to `until` that are not in the conversation are kept
   * with the request only, e.g. a summary of what was dropped.
   */
  messagesOf({ request: { messages }, prints }: Printed, until: number, env: Env): readonly Message[] {
    const own = new Map(this.journal.messagesAt(this.path).map((message) => [message.id, message]));
    const places = new Map<string, number[]>();
    for (const [index, { print }] of this.entries.entries())
      places.set(print, [...(places.get(print) ?? []), index]);
    let at = 0;
    return messages.flatMap((message, index): readonly Message[] => {
      const print = prints[index] ?? '';
      const place = places.get(print)?.find((one) => one >= at);
      const found = place === undefined ? undefined : own.get(this.entries[place]?.id ?? '');
      if (place !== undefined) at = place + 1;
      if (found !== undefined) return [found];
      if (index > until) return [];
      const extra = this.#extras.get(print) ?? Message.of(message.role, this.#partsOf(message), {}, env);
      this.#extras.set(print, extra);
      return [extra];
    });
  }

  whole(): readonly Message[] {
    const own = new Map(this.journal.messagesAt(this.path).map((message) => [message.id, message]));
    return this.entries.flatMap(({ id }) => own.get(id ?? '') ?? []);
  }

  #partsOf({ text, files, calls, role, callId }: WireMessage): readonly MessagePart[] {
    if (role === 'tool') {
      const output = parsedJson(text);
      const outcome = 'completed' as const;
      const call = { toolCallId: crypto.randomUUID(), toolName: callId ?? '' };
      return [{ type: 'tool-result', ...call, output: text === '' ? '' : output, outcome, durationMs: null }];
    }
    return [
      ...(text === '' && files.length + calls.length > 0 ? [] : [{ type: 'text', text } as const]),
      ...files.map((file) => ({ type: 'text', text: `[${file}]` }) as const),
      ...calls.map(({ id, name, args }) => ({
        type: 'tool-call' as const,
        toolCallId: crypto.randomUUID(),
        toolName: name,
        input: parsedJson(args),
        providerCallId: id,
      })),
    ];
  }
}

/** Hash of what two transmissions of one message share: clients drop reasoning, trim texts and move cache marks. */
export function printOf({ role, text, calls, callId, files }: WireMessage): string {
  const named = calls.map(({ id, name, args }) => [wireId(id), name, args]);
  return contentHash(JSON.stringify([role, text.trim(), named, wireId(callId), files]));
}

/** The same of an answer without the ids of its calls: some clients make their own. */
export function looseOf({ role, text, calls }: WireMessage): string {
  return contentHash(JSON.stringify([role, text.trim(), calls.map(({ name, args }) => [name, args])]));
}

/** The prefix of ids for calls that have none on the wire. */
export const localCall = 'local:';

function wireId(id: string | null): string | null {
  return id?.startsWith(localCall) === true ? null : id;
}
