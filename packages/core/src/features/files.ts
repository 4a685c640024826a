import type { FilePart, Message, MessagePart } from '../graph/message.ts';
import { toBase64 } from '../kit/hash.ts';
import { memoize, memoizeGrowing } from '../kit/memoize.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { emit, userCode } from '../run/run.ts';
import { withResultFiles } from './wire-messages.ts';
import type { Feature, Run } from '../run/slots.ts';

/**
 * Gives a request the bytes of stored files, as providers need it, and puts the files of tools behind their results. An
 * absent file is replaced by a text that says so and announced as `attachment-missing`; the run does not fail.
 */
export const files: Feature = (run) => {
  /** Reads a message once and returns the same object each time, so that clients can cache. The bytes can then be collected. */
  const read = memoize((message: Message) => readMessage(run, message));
  return {
    async aroundModel(call, next) {
      return next({ ...call, wire: withResultFiles(await withFiles(call.wire, read)) });
    },
  };
};

async function withFiles(
  request: InferenceRequest,
  read: (message: Message) => Promise<Message>,
): Promise<InferenceRequest> {
  const stored = withBlobs(request.messages);
  if (stored.length === 0) return request;
  const known = new Map(
    await Promise.all(stored.map(async (message) => [message, await read(message)] as const)),
  );
  return { ...request, messages: request.messages.map((message) => known.get(message) ?? message) };
}

/** The messages with stored files. Only the new messages of a list that continues another one are examined. */
const withBlobs = memoizeGrowing<Message, readonly Message[]>((before, messages, from) => [
  ...(before ?? []),
  ...messages.slice(from).filter(({ parts }) => parts.some(isStored)),
]);

async function readMessage(run: Run, message: Message): Promise<Message> {
  const parts = await Promise.all(
    message.parts.map((part) => (isStored(part) ? readPart(run, message, part) : part)),
  );
  return { ...message, parts };
}

async function readPart(run: Run, { id }: Message, part: StoredPart): Promise<MessagePart> {
  const { blob, ...rest } = part;
  const { hash } = blob;
  const found = await readBlob(run, hash);
  if (found !== null) return { ...rest, data: await toBase64(found) };
  const { filename, mediaType } = part;
  emit(run, { type: 'attachment-missing', messageId: id, hash, filename });
  const what = filename === null ? `A file of type ${mediaType}` : `The file ${JSON.stringify(filename)}`;
  return { type: 'text', text: `[${what} is not available any more.]` };
}

/** Returns null also when the store fails or does not answer; rejects only when the run is stopped. */
async function readBlob(run: Run, hash: string): Promise<Blob | null> {
  const { readBlob: read, signal } = run;
  if (read === null) return null;
  try {
    return await userCode(run, 'the session store (reading a file)', () => read(hash));
  } catch {
    if (signal.aborted) throw signal.reason;
    return null;
  }
}

type StoredPart = FilePart & Required<Pick<FilePart, 'blob'>>;

/** True for a file whose bytes have to be read. A file with an address or with its bytes is sent unchanged. */
function isStored(part: MessagePart): part is StoredPart {
  return part.type === 'file' && part.blob !== undefined && part.data === undefined && part.url === undefined;
}
