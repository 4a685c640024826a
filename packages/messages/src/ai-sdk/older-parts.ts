import { isPlainObject } from '@vitrine/core/internal/kit/json';
import { textOf } from '@vitrine/core/internal/kit/text';
import { type Fields as Raw, type Import, listOf } from '../reading/reading.ts';

/** A part of a UI message with its place. */
export type Placed = { readonly part: Raw; readonly at: string };

/**
 * The parts of a UI message in the words of ai 5 to 7. Those of 4.2 (`tool-invocation`, `reasoning`, `source`,
 * `mimeType`) are renamed, and the fields beside the parts that ai 4 had become parts.
 */
export function modernParts(message: Raw, at: string, reading: Import): readonly Placed[] {
  const { parts, content, role } = message;
  const given = reading.each(parts, `${at}.parts`, (part, place) =>
    isPlainObject(part) ? modern(part, place) : reading.leave(place, typeof part, 'It is no part.'),
  );
  const has = (type: string): boolean =>
    given.some(
      ({ part }) => part['type'] === type && typeof part['text'] === 'string' && part['text'] !== '',
    );
  const isListed = Array.isArray(parts);
  const data = role === 'data' ? (message['data'] ?? content) : message['data'];
  const text = role !== 'data' && typeof content === 'string' ? content : '';
  const written = given.map(({ part }) => (part['type'] === 'text' ? textOf(part['text']) : '')).join('');
  const said = text !== '' && written === '';
  // From ai 4.2 the content says once more what the parts say.
  if (text !== '' && !said && !written.includes(text))
    reading.leave(`${at}.content`, 'text', 'It differs from the texts of the parts, which are kept.');
  const invoked = isListed ? [] : invocationsOf(message, at, reading);
  return [
    ...given,
    ...invoked,
    ...(typeof message['reasoning'] === 'string' && message['reasoning'] !== '' && !has('reasoning')
      ? [{ part: { type: 'reasoning', text: message['reasoning'] }, at: `${at}.reasoning` }]
      : []),
    // The text of ai 4.0 was the answer to the results.
    ...(said && invoked.length > 0 ? [{ part: { type: 'step-start' }, at }] : []),
    ...(said ? [{ part: { type: 'text', text }, at: `${at}.content` }] : []),
    ...(data === undefined ? [] : [{ part: { type: 'data-data', data }, at: `${at}.data` }]),
    ...attachmentsOf(message, at, reading),
  ];
}

/** The calls of a message of ai 4.0, each step of them with a boundary before it. */
function invocationsOf({ toolInvocations }: Raw, at: string, reading: Import): readonly Placed[] {
  if (!Array.isArray(toolInvocations)) return [];
  let step: unknown;
  return toolInvocations.flatMap((invocation: unknown, index): readonly Placed[] => {
    const place = `${at}.toolInvocations[${index}]`;
    if (!isPlainObject(invocation)) return reading.leave(place, 'tool-invocation', 'It is no call.');
    const isNext = index > 0 && invocation['step'] !== step;
    step = invocation['step'];
    const call = { part: callOf(invocation), at: place };
    return isNext ? [{ part: { type: 'step-start' }, at: place }, call] : [call];
  });
}

function attachmentsOf(message: Raw, at: string, reading: Import): readonly Placed[] {
  const name = 'experimental_attachments';
  return reading.each(message[name], `${at}.${name}`, (file, place) => {
    if (!isPlainObject(file)) return reading.leave(place, 'file', 'It is no file.');
    const { name: filename, contentType: mediaType, url } = file;
    return [{ part: { type: 'file', filename, mediaType, url }, at: place }];
  });
}

/** A part of ai 4.2 in later words; other parts as they are. */
function modern(part: Raw, at: string): readonly Placed[] {
  const { type, toolInvocation, source, reasoning, details } = part;
  switch (type) {
    case 'tool-invocation':
      return [{ part: isPlainObject(toolInvocation) ? callOf(toolInvocation) : { type: 'broken call' }, at }];
    case 'reasoning':
      if (part['text'] !== undefined) return [{ part, at }];
      return thoughtsOf(reasoning, details).map((thought) => ({ part: thought, at }));
    case 'source':
      return [{ part: isPlainObject(source) ? sourceOf(source) : part, at }];
    case 'file':
      return [{ part: { ...part, mediaType: part['mediaType'] ?? part['mimeType'] }, at }];
    default:
      return [{ part, at }];
  }
}

function callOf({ toolName, toolCallId, args, state, result }: Raw): Raw {
  return {
    type: 'dynamic-tool',
    toolName,
    toolCallId,
    input: args,
    ...(state === 'result' || result !== undefined
      ? { state: 'output-available', output: result }
      : { state: 'input-available' }),
  };
}

/** The reasoning of ai 4.2: its details, which have the signatures that its provider needs back, or its text. */
function thoughtsOf(reasoning: unknown, details: unknown): readonly Raw[] {
  const thoughts = listOf(details)
    .filter((detail) => isPlainObject(detail))
    .map(({ type, text, signature, data }): Raw => {
      if (type === 'redacted')
        return { type: 'reasoning', text: '', providerMetadata: { anthropic: { redactedData: data } } };
      const signed = signature === undefined ? {} : { providerMetadata: { anthropic: { signature } } };
      return { type: 'reasoning', text, ...signed };
    });
  const written = thoughts.map(({ text }) => textOf(text)).join('');
  const isSaid = thoughts.length > 0 && written.includes(textOf(reasoning));
  return isSaid ? thoughts : [...thoughts, { type: 'reasoning', text: reasoning }];
}

function sourceOf({ sourceType, id: sourceId, url, title, filename }: Raw): Raw {
  return {
    type: sourceType === 'document' ? 'source-document' : 'source-url',
    sourceId,
    url,
    title,
    filename,
  };
}
