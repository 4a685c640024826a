import type { AgUiEvent } from '@vitrine/messages/internal/ag-ui/protocol';

/** The kinds of what one event of AG-UI begins and another ends, by the letter that stands for them in an id. */
const kinds = {
  T: ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_END'],
  R: ['REASONING_START', 'REASONING_END'],
  M: ['REASONING_MESSAGE_START', 'REASONING_MESSAGE_END'],
  C: ['TOOL_CALL_START', 'TOOL_CALL_END'],
  S: ['STEP_STARTED', 'STEP_FINISHED'],
  A: ['SUBAGENT_STARTED', 'SUBAGENT_FINISHED', 'SUBAGENT_ERROR'],
} as const;

type Kind = keyof typeof kinds;
type Names = { readonly kind: Kind; readonly begins: boolean };

const namesOf = new Map<string, Names>(
  Object.entries(kinds).flatMap(([kind, types]) =>
    types.map((type, at): [string, Names] => [type, { kind: kind as Kind, begins: at === 0 }]),
  ),
);

/** Something that was begun and has not ended, e.g. a text. `owner` is the run of its subagent; null for none. */
export type OpenSpan = { readonly kind: Kind; readonly id: string; readonly owner: string | null };

type EndedSubagent = { readonly kind: 'E'; readonly id: string; readonly owner: null };

/** Most ended subagents that are remembered. Those that a process had not stored when it was killed begin again. */
const mostEnded = 16;

/** Most characters of the text of open spans: it stands in a header of a request. */
const mostLength = 4_000;

/** The texts that stand for a run that has ended, and for spans that do not fit into a header. */
const texts = { ended: 'end', unfit: 'unfit' } as const;

/** The spans that a client has open, and those that ended. As a part of an event's id, its text lets any process go on. */
export class OpenSpans {
  #spans: readonly OpenSpan[] = [];
  /** The runs of the last subagents that have ended, which AG-UI allows to begin once. */
  #ended: readonly string[] = [];
  #text: string | null = '';

  /** Reads the text of open spans; null for one that `toString` does not give. */
  static read(text: string): OpenSpans | null {
    const open = new OpenSpans();
    open.#text = text;
    if (text === '' || text === texts.ended) return open;
    const spans = text.split(',').map(spanIn);
    if (spans.includes(null)) return null;
    const known = spans as readonly (OpenSpan | EndedSubagent)[];
    open.#spans = known.filter((span) => span.kind !== 'E');
    open.#ended = known.filter(({ kind }) => kind === 'E').map(({ id }) => id);
    return open;
  }

  /** The open spans, in the order in which they were begun. */
  get all(): readonly OpenSpan[] {
    return this.#spans;
  }

  /** The runs of subagents that have ended, and cannot begin again. */
  get ended(): readonly string[] {
    return this.#ended;
  }

  get isEnded(): boolean {
    return this.#text === texts.ended;
  }

  take(event: AgUiEvent): void {
    if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') this.#text = texts.ended;
    const names = namesOf.get(event.type);
    if (names === undefined) return;
    const { kind, begins } = names;
    const id = idIn(event);
    const others = this.#spans.filter((span) => span.kind !== kind || span.id !== id);
    this.#spans = begins ? [...others, { kind, id, owner: ownerIn(event, kind) }] : others;
    if (kind === 'A' && !begins) this.#ended = [...this.#ended, id].slice(-mostEnded);
    this.#text = null;
  }

  /** The text. That of spans which do not fit into a header is not read again. */
  toString(): string {
    const subagents = this.#ended.map((id): EndedSubagent => ({ kind: 'E', id, owner: null }));
    return (this.#text ??= textOf([...subagents, ...this.#spans]));
  }
}

/** The event that ends a span, apart from that of a subagent, which has an outcome. */
export function endEvent({ kind, id, owner }: OpenSpan & { readonly kind: Exclude<Kind, 'A'> }): AgUiEvent {
  const tag = owner === null ? {} : { subagentRunId: owner };
  if (kind === 'C') return { type: 'TOOL_CALL_END', toolCallId: id, ...tag };
  if (kind === 'S') return { type: 'STEP_FINISHED', stepName: id, ...tag };
  return { type: kinds[kind][1], messageId: id, ...tag };
}

function idIn(event: AgUiEvent): string {
  if ('messageId' in event) return event.messageId;
  if ('toolCallId' in event) return event.toolCallId;
  if ('stepName' in event) return event.stepName;
  return 'subagentRunId' in event ? (event.subagentRunId ?? '') : '';
}

function ownerIn(event: AgUiEvent, kind: Kind): string | null {
  if (kind === 'A') return ('parentSubagentRunId' in event ? event.parentSubagentRunId : null) ?? null;
  return ('subagentRunId' in event ? event.subagentRunId : null) ?? null;
}

function textOf(spans: readonly (OpenSpan | EndedSubagent)[]): string {
  try {
    const written = spans.map(({ kind, id, owner }) =>
      [kind + encodeURIComponent(id), ...(owner === null ? [] : [encodeURIComponent(owner)])].join('/'),
    );
    const text = written.join(',');
    return text.length > mostLength ? texts.unfit : text;
  } catch {
    // An id of a provider with half a character.
    return texts.unfit;
  }
}

function spanIn(text: string): OpenSpan | EndedSubagent | null {
  const [, kind, id = '', owner] = /^([TRMCSAE])([^/]+)(?:\/([^/]+))?$/.exec(text) ?? [];
  if (kind === undefined) return null;
  try {
    const name = decodeURIComponent(id);
    if (kind === 'E') return { kind, id: name, owner: null };
    return { kind: kind as Kind, id: name, owner: owner === undefined ? null : decodeURIComponent(owner) };
  } catch {
    return null;
  }
}
