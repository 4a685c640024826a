import type {
  FilePart,
  Message,
  MessagePart,
  MessageRole,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '@vitrine/core/internal/graph/message';
import { pairToolCalls } from '@vitrine/core/internal/graph/pair-tool-calls';
import { toolResultText } from '@vitrine/core/internal/graph/tool-execution';
import { fromBase64, shortId } from '@vitrine/core/internal/kit/hash';
import { isPlainObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { cutText, urlOf } from '@vitrine/core/internal/kit/text';
import { fileText, fileType, headBytes, isAccepted, isNamedText } from '@vitrine/core/internal/kit/text-file';
import type { ModelStreamPart } from './language-model.ts';
import type { Target } from './targets.ts';

/** A message of a request: what a model gets of it. */
export type FittedMessage = { readonly role: MessageRole; readonly parts: MessagePart[] };

/** Said where a target wants a word and nobody has said one. */
const filler = {
  begin: '[The conversation begins.]',
  goOn: 'Go on.',
  between: 'I have the results.',
  emptyResult: '[The result is empty.]',
} as const;

/** The target of a request, and what its whole conversation shares. */
export type Fit = {
  readonly target: Target;
  /** The name of a tool in the pattern of the target. */
  readonly toolName: (name: string) => string;
  /** Files that the provider has refused: only their names go. */
  readonly left: ReadonlySet<FilePart>;
  /** The id of the model. */
  readonly model: string;
  /** True for a provider that keeps blocks of texts: what a block holds may not hang on what stands behind it. */
  readonly keepsBlocks: boolean;
};

/** The name of our own metadata, which say the model that made a thought: a signature is good for that model alone. */
const own = 'vitrine';

/** The part of a stream with the model that made it, for thoughts with metadata. */
export function withMaker(part: ModelStreamPart, model: string): ModelStreamPart {
  if (!part.type.startsWith('reasoning-') || !('providerMetadata' in part) || !part.providerMetadata)
    return part;
  return { ...part, providerMetadata: { ...part.providerMetadata, [own]: { model } } };
}

type Walk = Fit & {
  readonly calls: OpenCalls;
  /** Files of answers and results that only a message of a person may hold: they go with the next one. */
  readonly files: (FilePart | TextPart)[];
  /** True for the messages behind the last one of a person. */
  isCurrent: boolean;
};

/**
 * Messages by the rules of the target: instructions first; then a person's message and an answer in turns, each call
 * followed by its result, no empty message, and a person's message or a result at the end. Ids, names, arguments and
 * files have a form that the target takes. What it cannot place becomes a message of the person at the same place.
 */
export function fitMessages(messages: readonly Message[], fit: Fit): readonly FittedMessage[] {
  const list: FittedMessage[] = [];
  const walk: Walk = { ...fit, calls: openCalls(fit.target.callId), files: [], isCurrent: false };
  const paired = pairToolCalls(messages);
  const lastUser = paired.findLastIndex(({ role }) => role === 'user');

  function add(role: MessageRole, parts: readonly MessagePart[]): void {
    if (parts.length === 0) return;
    const last = list.at(-1);
    if (last?.role === role) last.parts.push(...joinParts(last.parts, parts));
    else list.push({ role, parts: [...parts] });
    if (role === 'user' && !fit.keepsBlocks) joinTexts(list.at(-1)?.parts ?? []);
  }

  function endResults(): void {
    add('tool', walk.calls.end());
    add('user', walk.files.splice(0));
  }

  for (const [index, { role, parts }] of paired.entries()) {
    walk.isCurrent = index > lastUser;
    if (role === 'tool') {
      takeResults(parts, walk);
      continue;
    }
    // A message may hold results of two answers; their calls become those of one.
    if (role !== 'assistant' || paired[index - 1]?.role !== 'assistant') endResults();
    const isLate = role === 'system' && list.some((before) => before.role !== 'system');
    if (role === 'assistant') add('assistant', fitAnswer(parts, walk));
    else
      add(
        isLate ? 'user' : role,
        parts.flatMap((part) => fitWords(part, walk)),
      );
  }
  endResults();
  return inTurns(list, fit.target);
}

/** The parts of a message that continues one of the same role, with a blank line between their texts. */
function joinParts(before: readonly MessagePart[], parts: readonly MessagePart[]): readonly MessagePart[] {
  const [first, ...rest] = parts;
  if (before.at(-1)?.type !== 'text' || first?.type !== 'text') return parts;
  return [{ ...first, text: `\n\n${first.text}` }, ...rest];
}

/** Makes one text of neighbouring ones: many servers take the words of a person as one text only. */
function joinTexts(parts: MessagePart[]): void {
  for (let at = parts.length - 1; at > 0; at--) {
    const [before, part] = [parts[at - 1], parts[at]];
    if (before?.type !== 'text' || part?.type !== 'text') continue;
    if (before.providerMetadata !== undefined || part.providerMetadata !== undefined) continue;
    const gap = part.text.startsWith('\n\n') ? '' : '\n\n';
    parts.splice(at - 1, 2, { type: 'text', text: `${before.text}${gap}${part.text}` });
  }
}

/** Puts a word where the target wants one: before a first answer, behind a last one, between results and a person. */
function inTurns(list: readonly FittedMessage[], { isStrict }: Target): readonly FittedMessage[] {
  const turns: FittedMessage[] = [];
  const roleBefore = (): MessageRole => turns.at(-1)?.role ?? 'system';
  const say = (role: MessageRole, words: string): void => void turns.push({ role, parts: [textPart(words)] });
  for (const message of list) {
    if (roleBefore() === 'system' && message.role === 'assistant') say('user', filler.begin);
    if (isStrict && roleBefore() === 'tool' && message.role === 'user') say('assistant', filler.between);
    turns.push(message);
  }
  if (roleBefore() === 'system') say('user', filler.begin);
  if (roleBefore() === 'assistant') say('user', filler.goOn);
  return turns;
}

function fitWords(part: MessagePart, { target, left }: Walk): readonly MessagePart[] {
  if (part.type === 'file') return [fitFile(part, target, left)];
  return part.type === 'text' && !isBlank(part.text) ? [part] : [];
}

function fitAnswer(parts: readonly MessagePart[], walk: Walk): readonly MessagePart[] {
  const fitted = parts.flatMap((part) => fitPart(part, walk));
  // A thought that nothing follows is of an answer that was cut; providers refuse it at the end.
  while (fitted.at(-1)?.type === 'reasoning') fitted.pop();
  return fitted;
}

function fitPart(part: MessagePart, walk: Walk): readonly MessagePart[] {
  const { target, toolName, calls, files, left, isCurrent } = walk;
  switch (part.type) {
    case 'text':
      return isBlank(part.text) && !(target.blankTexts && isSigned(part, target)) ? [] : [part];
    case 'reasoning': {
      const isWanted = target.thoughts === 'signed' ? isSigned(part, target) : isCurrent;
      return (isWanted || target.thoughts === 'any') && isOfModel(part, walk) ? [withoutMaker(part)] : [];
    }
    case 'tool-call': {
      const call = { ...part, toolName: toolName(part.toolName), input: argumentsOf(part.input) };
      return [{ ...call, toolCallId: calls.add(call) }];
    }
    case 'file': {
      const file = fitFile(part, target, left);
      if (target.inAnswers && file.type === 'file' && file.data !== undefined) return [file];
      files.push(file);
      return [];
    }
    default:
      return [];
  }
}

/** True for a thought of this model; one without a maker counts in the turn in progress, where it is needed. */
function isOfModel({ providerMetadata }: ReasoningPart, { target, model, isCurrent }: Walk): boolean {
  const maker = (providerMetadata?.[own] as { readonly model?: unknown } | undefined)?.model;
  return maker === undefined ? !target.bindsThoughts || isCurrent : maker === model;
}

function withoutMaker(part: ReasoningPart): ReasoningPart {
  if (part.providerMetadata?.[own] === undefined) return part;
  const { [own]: _maker, ...providerMetadata } = part.providerMetadata;
  return { ...part, providerMetadata };
}

/** Gives the calls their results, each with its files behind it as far as the target takes them there. */
function takeResults(parts: readonly MessagePart[], { target, calls, files, left }: Walk): void {
  let call: OpenCall | null = null;
  for (const part of parts) {
    if (part.type === 'tool-result') {
      call = calls.find(part.toolCallId);
      const words = toolResultText(part.output);
      const { toolCallId = '', toolName = '' } = call ?? {};
      call?.parts.push({
        ...part,
        toolCallId,
        toolName,
        output: isBlank(words) ? filler.emptyResult : words,
      });
    } else if (part.type === 'file' && call !== null) {
      const file = fitFile(part, target, left);
      if (isTakenInResult(file, target)) call.parts.push(file);
      else files.push(textPart(`[From the result of ${call.toolName}:]`), file);
    }
  }
}

function isTakenInResult(file: FilePart | TextPart, { inResults }: Target): boolean {
  if (file.type === 'text') return inResults.length > 0;
  return file.data !== undefined && isAccepted(inResults, file.mediaType);
}

/** The arguments of a call as the object that every API wants. */
function argumentsOf(input: JsonValue): JsonValue {
  if (isPlainObject(input)) return input as JsonValue;
  return typeof input === 'string' && isBlank(input) ? {} : { arguments: input };
}

function textPart(words: string): TextPart {
  return { type: 'text', text: words };
}

function isBlank(words: string): boolean {
  return words.trim() === '';
}

/** True for a part that the target has marked, and needs back as it was. */
function isSigned({ providerMetadata }: TextPart | ReasoningPart, { metadata }: Target): boolean {
  if (providerMetadata === undefined) return false;
  return metadata === null || Object.hasOwn(providerMetadata, metadata);
}

type OpenCall = Pick<ToolResultPart, 'toolCallId' | 'toolName'> & {
  /** Its id in the request. */
  readonly own: string;
  /** Its result, with the files behind it; empty while there is none. */
  readonly parts: MessagePart[];
};

/** The calls of the last answer. */
type OpenCalls = ReturnType<typeof openCalls>;

function openCalls(pattern: RegExp) {
  const used = new Set<string>();
  let open: OpenCall[] = [];

  function idOf(own: string): string {
    let id = own;
    for (let round = 0; used.has(id) || !pattern.test(id); round++) id = shortId(`${own}${round || ''}`);
    used.add(id);
    return id;
  }

  return {
    /** Adds a call. Returns its id for the target, which is unique in the conversation. */
    add({ toolCallId: own, toolName }: ToolCallPart): string {
      const toolCallId = idOf(own);
      open.push({ own, toolCallId, toolName, parts: [] });
      return toolCallId;
    },
    /** The first call of an id that has no result; null when there is none. */
    find: (toolCallId: string): OpenCall | null =>
      open.find(({ own, parts }) => own === toolCallId && parts.length === 0) ?? null,
    /** Ends the calls: their results in the order of the calls. */
    end(): readonly MessagePart[] {
      const results = open.flatMap(({ parts }) => parts);
      open = [];
      return results;
    },
  };
}

/** The most characters of one text file, which are some 100,000 tokens. */
const mostCharacters = 400_000;

/** A file as the target takes it, its text, or a sentence with its name. A file of `left` is only named. */
function fitFile(
  part: FilePart,
  { accepts, fetches }: Target,
  left: ReadonlySet<FilePart>,
): FilePart | TextPart {
  const file = withoutDataUrl(part);
  const { data, url, filename } = file;
  const what = filename === null ? `A file of type ${file.mediaType}` : `The file ${filename}`;
  if (left.has(part)) return sentencePart(`${what} is left out, because the model provider refused it.`);
  if (data !== undefined) {
    const type = fileType(file.mediaType, headOf(data));
    const text = textIn(file);
    if (text !== null) return sentencePart(`${what}:]\n${text}\n[End of the file.`);
    return isAccepted(accepts, type)
      ? { ...file, mediaType: type }
      : sentencePart(`${what} cannot be read by this model: it takes no files of the type ${type}.`);
  }
  const address = url === undefined ? null : urlOf(url);
  if (address === null || !/^https?:$/.test(address.protocol))
    return sentencePart(`${what} is not available.`);
  const type = fileType(file.mediaType, '');
  if (!isNamedText(type, filename) && isAccepted(accepts, type) && fetches(type, address.href))
    return { ...file, mediaType: type };
  return sentencePart(`${what} is at ${address.href}. This model cannot open it there.`);
}

/** A file of an address that holds the bytes, with the bytes. */
function withoutDataUrl(part: FilePart): FilePart {
  const { url = '' } = part;
  if (part.data !== undefined || !url.startsWith('data:')) return part;
  const comma = url.indexOf(',');
  const head = url.slice(5, Math.max(5, comma));
  const body = comma < 0 ? '' : url.slice(comma + 1);
  const { url: _address, ...plain } = part;
  const mediaType = head.split(';')[0] || part.mediaType;
  if (head.endsWith(';base64')) return { ...plain, mediaType, data: body };
  return { ...plain, mediaType, data: base64OfText(body) };
}

function base64OfText(encoded: string): string {
  try {
    const bytes = new TextEncoder().encode(decodeURIComponent(encoded));
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  } catch {
    return btoa('');
  }
}

/** The first bytes of base64, one character for each; none for what is no base64. */
function headOf(data: string): string {
  const head = fromBase64(data.slice(0, Math.ceil(headBytes / 3) * 4));
  return head === null ? '' : String.fromCharCode(...head.subarray(0, headBytes));
}

/** The text of a file, up to the most characters; null for a file that holds none. */
const textIn = memoize(({ data = '', mediaType, filename }: FilePart): string | null => {
  const bytes = fromBase64(data);
  const text = bytes === null ? null : fileText(bytes, { mediaType, filename });
  if (text === null || text.length <= mostCharacters) return text;
  const kept = cutText(text, mostCharacters);
  return `${kept}\n[Cut: these are the first ${kept.length} of ${text.length} characters.]`;
});

function sentencePart(sentence: string): TextPart {
  return { type: 'text', text: `[${sentence}]` };
}
