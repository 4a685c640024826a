import * as errors from '@vitrine/core/internal/kit/errors';
import type { Message, MessagePart, ToolOutcome } from '@vitrine/core/internal/graph/message';
import { toolErrorPrefix } from '@vitrine/core/internal/graph/tool-execution';
import { isPlainObject, readJson } from '@vitrine/core/internal/kit/json';
import * as Part from '../reading/part.ts';
import { importNamed, type NamedImportOptions } from '../reading/import-named.ts';
import {
  type Fields as Raw,
  type FoundMessage,
  noBytes,
  noPlace,
  type ReadMessages,
  type Import,
  timeOf,
} from '../reading/reading.ts';
import { modelParts } from './model-message.ts';
import { modernParts, type Placed } from './older-parts.ts';
import { uiIdKey } from './ui-message.ts';

/**
 * Converts messages of the AI SDK 4 to 7 to messages of a session, with their ids, times, calls, results and files.
 * Messages of `toUiMessages` come back as they were. `importMessages` of the main entry reads other shapes too.
 * @param options.trust `none` (default) leaves out system messages, `full` keeps them.
 * @param options.onLeft Receives the parts that have no place here (`custom`, references to uploaded files and others),
 * each with its place and the reason.
 * @throws AgentError `message-invalid` for a value that is no list of such messages, with the position, and for messages
 * of another library, which it names.
 * @example
 * const initialState = AgentState.create({ messages: importUiMessages(chat.messages) });
 */
export function importUiMessages(
  messages: readonly unknown[],
  options: NamedImportOptions = {},
): readonly Message[] {
  if (!Array.isArray(messages))
    throw errors.messageInvalid('importUiMessages: give the list of messages of a chat.', {});
  for (const [index, message] of messages.entries())
    if (!isUiMessage(message))
      throw errors.messageInvalid(
        `importUiMessages: messages[${index}] is no UI message; it needs a role (system, user, assistant) and parts, or the content of ai 4.`,
        { index },
      );
  return importNamed(messages, { name: 'importUiMessages', shape: 'ui', read: readUi, ...options });
}

const roles: readonly unknown[] = ['system', 'user', 'assistant'];
const known: readonly string[] = ['parts', 'reasoning', 'toolInvocations', 'experimental_attachments'];

/** True for a message of any version. Until ai 4.1 messages had a content and no parts, as those for a model still have. */
function isUiMessage(message: unknown): boolean {
  const { role, parts, content, data } = isPlainObject(message) ? message : ({} as Raw);
  if (role === 'data') return data !== undefined || content !== undefined;
  if (Array.isArray(content) && !Array.isArray(parts)) return role === 'tool' || roles.includes(role);
  return roles.includes(role) && (Array.isArray(parts) || typeof content === 'string');
}

/** Reads messages of the AI SDK 4 to 7. */
export const readUi: ReadMessages = (list, reading, at = '') =>
  reading.entriesOf(list, at).flatMap(([row, place]): readonly FoundMessage[] => {
    const { parts: written } = row;
    // A row of a database may have its parts as JSON.
    const json = typeof written === 'string' ? readJson(written) : null;
    const message = json?.ok === true ? { ...row, parts: json.value } : row;
    if (!isUiMessage(message))
      return reading.leave(place, 'message', 'It has no role and parts of the AI SDK.');
    const { id, role, metadata, createdAt, annotations, content, parts: given } = message;
    const isForModel = Array.isArray(content) && !Array.isArray(given);
    const read = isForModel ? [] : known;
    const isRead = isForModel || typeof content === 'string';
    reading.leaveOthers(message, place, isRead ? [...read, 'content'] : read);
    if (isForModel)
      return [
        {
          id,
          at: place,
          role: role as FoundMessage['role'],
          createdAt: timeOf(createdAt),
          parts: modelParts(content, place, reading),
        },
      ];
    const { vitrine, ...theirs } = isPlainObject(metadata) ? metadata : ({} as Raw);
    const own = annotations === undefined ? theirs : { ...theirs, annotations };
    const facts = isPlainObject(vitrine) ? vitrine : {};
    const context = { id, own, facts, at: place, createdAt: timeOf(createdAt), reading };
    const parts = modernParts(message, place, reading);
    return role === 'assistant'
      ? importAnswer(parts, context)
      : [importPlain(parts, role === 'data' ? 'user' : role, context)];
  });

type Context = {
  readonly id: unknown;
  readonly own: Raw;
  readonly facts: Raw;
  readonly at: string;
  readonly createdAt: number | null;
  readonly reading: Import;
};

function importPlain(parts: readonly Placed[], role: unknown, context: Context): FoundMessage {
  const { id, own, facts, at, createdAt, reading } = context;
  const [envelope = {}] = envelopesOf(facts);
  const ourId = envelope['id'] ?? id;
  return {
    createdAt,
    ...(envelope as Pick<FoundMessage, 'createdAt' | 'parentId'>),
    at,
    id: ourId,
    role: role as FoundMessage['role'],
    isOurs: facts['messages'] !== undefined,
    parts: parts.flatMap((part) => importPart(part, reading)),
    metadata: ourId === id ? own : { ...own, [uiIdKey]: id },
  };
}

/** The messages of an answer: one for each step, each with the results of its calls behind it. */
function importAnswer(parts: readonly Placed[], context: Context): readonly FoundMessage[] {
  const { id, own, facts, at: place, createdAt, reading } = context;
  const calls = isPlainObject(facts['calls']) ? facts['calls'] : {};
  const isNested = ({ part }: Placed): boolean => factsOf(calls, part)['path'] !== undefined;
  const all = stepsOf(parts).filter((step) => step.length === 0 || !step.every(isNested));
  const envelopes = envelopesOf(facts);
  // Envelopes that no longer fit the parts, as after an edit by the application, are not believed.
  const fits =
    all.length > 0 && envelopes.filter(({ results: of }) => of === undefined).length === all.length;
  const steps = fits ? all : all.filter((step) => step.length > 0);
  const results = new Map(
    steps
      .flat()
      .filter(isCall)
      .flatMap(({ part }) => {
        const result = importResult(part, factsOf(calls, part));
        return result === null ? [] : [[String(part['toolCallId']), result] as const];
      }),
  );
  const partsOfStep = (step: readonly Placed[]): readonly MessagePart[] =>
    step.flatMap((one) =>
      isCall(one) ? [importCall(one.part, factsOf(calls, one.part))] : importPart(one, reading),
    );
  if (!fits)
    return steps.flatMap((step, index): readonly FoundMessage[] => {
      const [first] = step as [Placed];
      if (isSteering(first)) return [steeringOf(first, reading)];
      const said = { at: first.at, createdAt, role: 'assistant', parts: partsOfStep(step) } as const;
      return [
        index === 0 ? { ...said, at: place, id, metadata: own } : said,
        ...step.filter(isCall).flatMap(({ part, at }) => {
          const result = results.get(String(part['toolCallId']));
          return result === undefined ? [] : [{ at, createdAt, role: 'tool', parts: [result] } as const];
        }),
      ];
    });
  let at = 0;
  return envelopes.flatMap((envelope): readonly FoundMessage[] => {
    const { results: callIds, ...rest } = envelope as Raw &
      Pick<FoundMessage, 'createdAt' | 'parentId' | 'metadata'>;
    if (callIds === undefined)
      return [{ ...rest, isOurs: true, at: place, role: 'assistant', parts: partsOfStep(steps[at++] ?? []) }];
    const parts = (Array.isArray(callIds) ? callIds : []).flatMap((call) => results.get(String(call)) ?? []);
    return parts.length === 0 ? [] : [{ ...rest, at: place, role: 'tool', parts }];
  });
}

function isSteering({ part }: Placed): boolean {
  return part['type'] === 'steering-message';
}

/** The message of a person who spoke while the answer went on. ai 7 keeps it within the answer. */
function steeringOf({ part, at }: Placed, reading: Import): FoundMessage {
  const parts = reading
    .entriesOf(part['parts'], `${at}.parts`, 'part')
    .flatMap(([one, place]) => importPart({ part: one, at: place }, reading));
  return { at, role: 'user', id: part['id'], parts };
}

function envelopesOf({ messages }: Raw): readonly Raw[] {
  return Array.isArray(messages) ? messages.filter((entry): entry is Raw => isPlainObject(entry)) : [];
}

/** The parts of each step. Parts before the first boundary are a step too. */
function stepsOf(parts: readonly Placed[]): readonly (readonly Placed[])[] {
  const steps: Placed[][] = [];
  for (const placed of parts) {
    const { type } = placed.part;
    const isBoundary = type === 'step-start' || isSteering(placed) || steps.at(-1)?.some(isSteering) === true;
    if (isBoundary || steps.length === 0) steps.push([]);
    if (type !== 'step-start') steps.at(-1)?.push(placed);
  }
  return steps;
}

function isCall({ part: { type } }: Placed): boolean {
  return type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-'));
}

function factsOf(calls: Raw, { toolCallId }: Raw): Raw {
  const known = Object.hasOwn(calls, String(toolCallId)) ? calls[String(toolCallId)] : null;
  return isPlainObject(known) ? (known as Raw) : {};
}

function toolNameOf({ type, toolName }: Raw): unknown {
  return type === 'dynamic-tool' ? toolName : String(type).slice('tool-'.length);
}

function importCall(part: Raw, { providerCallId }: Raw): MessagePart {
  return {
    type: 'tool-call',
    toolCallId: part['toolCallId'],
    toolName: toolNameOf(part),
    input: part['input'] ?? part['rawInput'] ?? {},
    providerCallId,
    providerMetadata: part['callProviderMetadata'],
  } as MessagePart;
}

/** The result of a call; null while it is open. */
function importResult(part: Raw, { outcome, result, durationMs }: Raw): MessagePart | null {
  const ended = endOf(part);
  if (ended === null) return null;
  const isKnown = outcome !== undefined && ended.outcome !== 'completed';
  return {
    type: 'tool-result',
    toolCallId: part['toolCallId'],
    toolName: toolNameOf(part),
    output: isKnown ? result : ended.output,
    outcome: isKnown ? outcome : ended.outcome,
    durationMs,
  } as MessagePart;
}

function endOf({
  state,
  output,
  errorText,
  approval,
}: Raw): { outcome: ToolOutcome; output: unknown } | null {
  switch (state) {
    // ai 4 and early 5 wrote `result`.
    case 'output-available':
    case 'result':
      return { outcome: 'completed', output: output ?? null };
    case 'output-error':
      return { outcome: 'failed', output: `${toolErrorPrefix}${String(errorText)}` };
    case 'output-denied': {
      const { reason } = isPlainObject(approval) ? approval : ({} as Raw);
      const why = typeof reason === 'string' ? `: ${reason}` : '.';
      return { outcome: 'rejected', output: `${toolErrorPrefix}The call was rejected${why}` };
    }
    default:
      if (typeof errorText === 'string')
        return { outcome: 'failed', output: `${toolErrorPrefix}${errorText}` };
      return output === undefined ? null : { outcome: 'completed', output };
  }
}

/** The parts of a part, as the AI SDK wrote them; `assemble` checks their fields. */
function importPart({ part, at }: Placed, reading: Import): readonly MessagePart[] {
  const { type, providerMetadata } = part;
  const withMetadata = (own: object): readonly MessagePart[] => [{ ...own, providerMetadata } as MessagePart];
  switch (type) {
    case 'text':
    case 'reasoning':
      if (typeof part['text'] !== 'string') return reading.leave(at, type, 'It has no text.');
      return [...withMetadata({ type, text: part['text'] }), ...citedIn(part, at, reading)];
    case 'file':
    case 'reasoning-file': {
      const file = Part.file(part);
      return file === null ? reading.leave(at, type, noBytes) : withMetadata(file);
    }
    case 'source-url':
    case 'source-document': {
      const { sourceId: id, url, title, filename } = part;
      const source = Part.source({ id, url, title: title === '' ? filename : title });
      // A document may have an id alone.
      return [source ?? { type: 'source', id: typeof id === 'string' ? id : '', url: null, title: null }];
    }
    case 'step-start':
      return [];
    default:
      return typeof type === 'string' && type.startsWith('data-')
        ? [{ type: 'data', name: type.slice('data-'.length), data: part['data'] } as MessagePart]
        : reading.leave(at, type, noPlace);
  }
}

function citedIn({ citations }: Raw, at: string, reading: Import): readonly MessagePart[] {
  return reading.entriesOf(citations, `${at}.citations`, 'citation').flatMap(([citation, place]) => {
    const source = isPlainObject(citation['source']) ? Part.source(citation['source']) : null;
    return source === null ? reading.leave(place, 'citation', 'It has no address and no title.') : [source];
  });
}
