import * as errors from '../../kit/errors.ts';
import { type Env, systemEnv } from '../../graph/env.ts';
import type { FilePart, Message, ToolOutcome } from '../../graph/message.ts';
import { normalizeMessages } from '../../graph/normalize-message.ts';
import { toolErrorPrefix } from '../../graph/tool-execution.ts';
import { isPlainObject } from '../../kit/json.ts';
import { blobScheme } from './to-ui-parts.ts';
import { uiIdKey } from './to-ui-messages.ts';
import type { AnyUiMessage } from './ui-message.ts';

type Raw = { readonly [key: string]: unknown };

/**
 * Converts messages of the AI SDK 5, 6 and 7 to messages of a session, with their ids, calls, results and files. Parts
 * that have no place here (`custom`, citations, references to uploaded files) are left out. Messages of `toUiMessages`
 * come back as they were.
 * @throws AgentError `message-invalid` for a value that is no list of messages, with the position.
 * @example
 * const initialState = AgentState.create({ messages: importUiMessages(chat.messages) });
 */
export function importUiMessages(
  messages: readonly AnyUiMessage[],
  env: Env = systemEnv,
): readonly Message[] {
  if (!Array.isArray(messages))
    throw errors.messageInvalid('importUiMessages: give the list of messages of a chat.', {});
  return normalizeMessages(
    messages.flatMap((message: unknown, index) => importMessage(message, index, env)),
    env,
  );
}

function importMessage(message: unknown, index: number, env: Env): readonly Raw[] {
  const { id, role, metadata, parts } = isPlainObject(message) ? (message as Raw) : {};
  if (!Array.isArray(parts) || (role !== 'system' && role !== 'user' && role !== 'assistant'))
    throw errors.messageInvalid(
      `importUiMessages: messages[${index}] is no UI message; it needs a role (system, user, assistant) and parts.`,
      { index },
    );
  const known = parts.filter((part): part is Raw => isPlainObject(part));
  const { vitrine, ...own } = isPlainObject(metadata) ? (metadata as Raw) : {};
  const facts = isPlainObject(vitrine) ? (vitrine as Raw) : {};
  return role === 'assistant'
    ? importAnswer(known, { id, own, facts, env })
    : [importPlain(known, { id, role, own, facts })];
}

function importPlain(
  parts: readonly Raw[],
  { id, role, own, facts }: { id: unknown; role: string; own: Raw; facts: Raw },
): Raw {
  const [envelope = {}] = envelopesOf(facts);
  const ourId = envelope['id'] ?? id;
  return {
    ...envelope,
    id: ourId,
    role,
    parts: parts.flatMap(importPart),
    metadata: ourId === id ? own : { ...own, [uiIdKey]: id },
  };
}

type AnswerFacts = { readonly id: unknown; readonly own: Raw; readonly facts: Raw; readonly env: Env };

/** The messages of an answer: one for each step, each with the results of its calls behind it. */
function importAnswer(parts: readonly Raw[], { id, own, facts, env }: AnswerFacts): readonly Raw[] {
  const calls = isPlainObject(facts['calls']) ? (facts['calls'] as Raw) : {};
  const isNested = (part: Raw): boolean => factsOf(calls, part)['path'] !== undefined;
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
      .flatMap((part) => {
        const result = importResult(part, factsOf(calls, part));
        return result === null ? [] : [[String(part['toolCallId']), result] as const];
      }),
  );
  const made = (step: readonly Raw[]): readonly Raw[] =>
    step.flatMap((part) => (isCall(part) ? [importCall(part, factsOf(calls, part))] : importPart(part)));
  if (!fits)
    return steps.flatMap((step, at): Raw[] => [
      { id: at === 0 ? id : env.id(), role: 'assistant', parts: made(step), metadata: at === 0 ? own : {} },
      ...step.filter(isCall).flatMap((part) => resultMessage(results.get(String(part['toolCallId'])))),
    ]);
  let at = 0;
  return envelopes.flatMap((envelope): Raw[] => {
    const { results: of, ...rest } = envelope;
    if (of === undefined) return [{ ...rest, role: 'assistant', parts: made(steps[at++] ?? []) }];
    const parts = (Array.isArray(of) ? of : []).flatMap((call) => results.get(String(call)) ?? []);
    return parts.length === 0 ? [] : [{ ...rest, role: 'tool', parts }];
  });
}

function envelopesOf({ messages }: Raw): readonly Raw[] {
  return Array.isArray(messages) ? messages.filter((entry): entry is Raw => isPlainObject(entry)) : [];
}

/** The parts of each step. Parts before the first boundary are a step too. */
function stepsOf(parts: readonly Raw[]): readonly (readonly Raw[])[] {
  const steps: Raw[][] = [];
  for (const part of parts) {
    if (part['type'] === 'step-start' || steps.length === 0) steps.push([]);
    if (part['type'] !== 'step-start') steps.at(-1)?.push(part);
  }
  return steps;
}

function isCall({ type }: Raw): boolean {
  return type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-'));
}

function factsOf(calls: Raw, { toolCallId }: Raw): Raw {
  const known = Object.hasOwn(calls, String(toolCallId)) ? calls[String(toolCallId)] : null;
  return isPlainObject(known) ? (known as Raw) : {};
}

function toolNameOf({ type, toolName }: Raw): unknown {
  return type === 'dynamic-tool' ? toolName : String(type).slice('tool-'.length);
}

function importCall(part: Raw, { providerCallId }: Raw): Raw {
  return {
    type: 'tool-call',
    toolCallId: part['toolCallId'],
    toolName: toolNameOf(part),
    input: part['input'] ?? part['rawInput'] ?? {},
    providerCallId,
    providerMetadata: part['callProviderMetadata'],
  };
}

/** The result of a call; null while it is open. */
function importResult(part: Raw, { outcome, result, durationMs }: Raw): Raw | null {
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
  };
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
      const { reason } = isPlainObject(approval) ? (approval as Raw) : {};
      const why = typeof reason === 'string' ? `: ${reason}` : '.';
      return { outcome: 'rejected', output: `${toolErrorPrefix}The call was rejected${why}` };
    }
    default:
      return null;
  }
}

function resultMessage(result: Raw | undefined): Raw[] {
  return result === undefined ? [] : [{ role: 'tool', parts: [result] }];
}

function importPart(part: Raw): Raw[] {
  const { type, providerMetadata } = part;
  if (type === 'text' || type === 'reasoning') return [{ type, text: part['text'], providerMetadata }];
  if (type === 'file' || type === 'reasoning-file') return [{ ...importFile(part), providerMetadata }];
  if (type === 'source-url')
    return [{ type: 'source', id: part['sourceId'], url: part['url'], title: part['title'] }];
  if (type === 'source-document')
    return [{ type: 'source', id: part['sourceId'], url: null, title: part['title'] || null }];
  if (typeof type === 'string' && type.startsWith('data-'))
    return [{ type: 'data', name: type.slice('data-'.length), data: part['data'] }];
  return [];
}

/** A file part of the AI SDK as one of ours. */
export function importFile({ mediaType, url, filename }: Raw): FilePart {
  const address = String(url ?? '');
  const inline = /^data:([^;,]*)(?:;[^,]*)?;base64,/.exec(address);
  const file = {
    type: 'file',
    mediaType: typeof mediaType === 'string' ? mediaType : inline?.[1] || 'application/octet-stream',
    filename: typeof filename === 'string' ? filename : null,
  } as const;
  if (address.startsWith(blobScheme)) {
    const [hash = '', size] = address.slice(blobScheme.length).split('?size=');
    return { ...file, blob: { hash, size: Number(size) } };
  }
  return inline === null ? { ...file, url: address } : { ...file, data: address.slice(inline[0].length) };
}
