import { type BodyLimits, type BodyRefusal, readChunks } from './read-chunks.ts';

/** A body as text with its length, or the reason why it was refused. */
export type ReadText = { readonly text: string; readonly bytes: number } | BodyRefusal;

/** Reads a body within its limits. The body must be UTF-8. */
export async function readText(request: Request, limits: BodyLimits): Promise<ReadText> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  const read = await readChunks(request, limits, (chunk) => {
    text += decoder.decode(chunk, { stream: true });
  });
  if ('refused' in read) return read;
  try {
    return { text: text + decoder.decode(), bytes: read.bytes };
  } catch {
    return { refused: 'unreadable', bytes: read.bytes };
  }
}
