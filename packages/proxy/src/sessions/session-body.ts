import type { BodyRefusal } from '../guard/read-chunks.ts';
import { readChunks } from '../guard/read-chunks.ts';
import type { Problem } from '../problems/problem.ts';
import { problems } from '../problems/problems.ts';
import type { FlatJson } from './json-builder.ts';
import { createJsonReader } from './json-reader.ts';
import { fileHash } from './session-file.ts';
import { sessionProblems } from './session-problems.ts';
import type { SessionLimits } from './session-routes-options.ts';

/** Reads the fields of a body and throws a {@link BodyIssue} for an invalid one. */
type ReadFields<Body> = (fields: Fields) => Body;

type Fields = {
  readonly text: (name: string) => string;
  readonly textOrNull: (name: string) => string | null;
  readonly flag: (name: string) => boolean;
  readonly names: (name: string) => string[];
  readonly rows: (name: string) => ReadonlyMap<string, string>;
  readonly hashes: (name: string) => string[];
  readonly hashesOrNull: (name: string) => string[] | null;
  readonly restOrNames: (name: string) => 'rest' | string[];
};

class BodyIssue extends Error {
  override readonly name = 'BodyIssue';
}

const rowName = /^[A-Za-z0-9.]{1,64}$/;

/** The bodies of requests; their texts are parsed by the readers. */
export const sessionBodies = {
  write: ({ text, rows, restOrNames, hashesOrNull }: Fields) => ({
    head: text('head'),
    put: rows('put'),
    drop: restOrNames('drop'),
    blobs: hashesOrNull('blobs'),
  }),
  append: ({ textOrNull, flag, rows, names, hashes }: Fields) => ({
    record: textOrNull('record'),
    head: textOrNull('head'),
    isStrict: flag('isStrict'),
    put: rows('put'),
    drop: names('drop'),
    blobs: hashes('blobs'),
  }),
  rows: ({ names }: Fields) => ({ names: names('names') }),
};

/** The amount of a body that is read before the event loop gets a turn. */
const sliceSize = 256 * 1024;

/** Reads and checks a body in short turns. Cheap checks come before expensive ones. */
export async function readSessionBody<Body>(
  request: Request,
  read: ReadFields<Body>,
  limits: SessionLimits,
): Promise<{ readonly body: Body } | { readonly problem: Problem }> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    return { problem: problems.notJsonType };
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    return { problem: problems.encoded };
  const found = await readJson(request, limits);
  if ('problem' in found) return found;
  try {
    return { body: read(fieldsOf(found.value)) };
  } catch (thrown) {
    if (thrown instanceof BodyIssue) return { problem: sessionProblems.invalid(thrown.message) };
    throw thrown;
  }
}

async function readJson(
  request: Request,
  { bodyBytes, bodyMs }: SessionLimits,
): Promise<{ readonly value: FlatJson } | { readonly problem: Problem }> {
  const reader = createJsonReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let sinceTurn = 0;
  const read = await readChunks(request, { maxBytes: bodyBytes, maxMs: bodyMs }, async (chunk) => {
    for (let at = 0; at < chunk.byteLength; at += sliceSize) {
      const slice = chunk.subarray(at, at + sliceSize);
      reader.push(decoder.decode(slice, { stream: true }));
      sinceTurn += slice.byteLength;
      if (sinceTurn < sliceSize) continue;
      sinceTurn = 0;
      await turn();
    }
  });
  if ('refused' in read) return { problem: refusal(read.refused, bodyBytes) };
  try {
    reader.push(decoder.decode());
    return { value: reader.end() };
  } catch {
    return { problem: problems.notJson };
  }
}

/** Gives the event loop a turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function refusal(refused: BodyRefusal['refused'], bodyBytes: number): Problem {
  if (refused === 'too-slow') return problems.tooSlow;
  return refused === 'too-large' ? sessionProblems.tooLarge(bodyBytes) : problems.notJson;
}

function fieldsOf(value: FlatJson): Fields {
  const fields = value instanceof Map ? value : new Map<string, FlatJson>();
  const of = (name: string): FlatJson | undefined => fields.get(name);
  const issue = (name: string, wanted: string): BodyIssue => new BodyIssue(`${name}: expected ${wanted}`);
  const texts = (name: string, found: FlatJson | undefined, is: RegExp, wanted: string): string[] => {
    const isRight = Array.isArray(found) && found.every((one) => typeof one === 'string' && is.test(one));
    if (!isRight) throw issue(name, wanted);
    return found as string[];
  };
  const hashes = (name: string, found: FlatJson): string[] =>
    texts(name, found, fileHash, 'a list of hashes');
  const names = (name: string): string[] => texts(name, of(name), rowName, 'a list of row names');
  return {
    names,
    text(name) {
      const found = of(name);
      if (typeof found === 'string') return found;
      throw issue(name, 'a text');
    },
    textOrNull(name) {
      const found = of(name);
      if (typeof found === 'string' || found === null) return found;
      throw issue(name, 'a text or null');
    },
    flag(name) {
      const found = of(name);
      if (typeof found === 'boolean') return found;
      throw issue(name, 'true or false');
    },
    rows(name) {
      const found = of(name);
      if (!(found instanceof Map)) throw issue(name, 'rows by name');
      for (const [row, text] of found)
        if (!rowName.test(row) || typeof text !== 'string') throw issue(`${name}.${row}`, 'a row');
      return found as Map<string, string>;
    },
    hashes: (name) => hashes(name, of(name) ?? []),
    hashesOrNull: (name) => (of(name) === null ? null : hashes(name, of(name) ?? [])),
    restOrNames: (name) => (of(name) === 'rest' ? 'rest' : names(name)),
  };
}
