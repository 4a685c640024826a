import type { JsonObject, JsonValue } from '@vitrine/core';
import { readJson } from '@vitrine/core/internal/kit/json';
import { isObject } from '../kit/is-object.ts';

export type ChatCalls = ReturnType<typeof createChatCalls>;

type Call = {
  readonly index: number;
  /** Its index and id as they came; null and '' for none. */
  readonly cameAt: number | null;
  id: string;
  name: string;
  /** The arguments so far. */
  json: string;
  isSent: boolean;
};

type Piece = {
  readonly id: string;
  readonly index: number | null;
  readonly name: string;
  readonly json: string;
  readonly extra: JsonValue | undefined;
};

/** Puts the pieces of calls together. Servers leave out ids and indexes, repeat names, or give one index to all calls. */
export function createChatCalls() {
  const calls: Call[] = [];
  const byId = new Map<string, Call>();
  const byIndex = new Map<number, Call>();

  function callOf(piece: Piece): Call {
    const { id, index, name } = piece;
    const known = id === '' ? undefined : byId.get(id);
    const here = index === null ? calls.at(-1) : byIndex.get(index);
    const call = known ?? here;
    if (call === undefined || (name !== '' && isAnother(call, piece, known !== undefined)))
      return begin(piece);
    if (id !== '' && call.id === '') call.id = id;
    return call;
  }

  function begin({ id, index, name }: Piece): Call {
    const call: Call = { index: calls.length, cameAt: index, id, name, json: '', isSent: false };
    calls.push(call);
    if (id !== '') byId.set(id, call);
    if (index !== null) byIndex.set(index, call);
    return call;
  }

  /** The piece as it is told; null while its call has no name, for which its arguments wait. */
  function writePiece(piece: Piece): JsonObject | null {
    const call = callOf(piece);
    call.name ||= piece.name;
    const json = call.isSent ? piece.json : call.json + piece.json;
    call.json += piece.json;
    if (call.name === '') return null;
    const { index, id, name, isSent } = call;
    call.isSent = true;
    return {
      index,
      ...(isSent || id === '' ? {} : { id }),
      function: { ...(isSent ? {} : { name }), arguments: json },
      ...(isObject(piece.extra) ? { extra_content: piece.extra } : {}),
    };
  }

  return {
    /** The calls of a delta, each with the index and the types of the protocol. */
    take: (delta: JsonObject): readonly JsonObject[] =>
      piecesOf(delta)
        .map(writePiece)
        .filter((one) => one !== null),
    /** True when a call never got a name. */
    hasNameless: (): boolean => calls.some(({ name }) => name === ''),
  };
}

/** True for a piece with a name that begins another call than the one at its id or index. */
function isAnother(call: Call, { id, index, name, json }: Piece, isKnown: boolean): boolean {
  if (call.name === '') return false;
  if (isKnown && index !== null && call.cameAt !== null && index !== call.cameAt) return true;
  if (name !== call.name || isWhole(call.json)) return true;
  // The same name again: one more call, unless its arguments go on.
  return !isKnown && id !== '' && call.id !== '' && id !== call.id && json.trimStart().startsWith('{');
}

function isWhole(json: string): boolean {
  const read = json.trimEnd().endsWith('}') ? readJson(json) : null;
  return read?.ok === true && isObject(read.value);
}

function piecesOf({ tool_calls: calls, function_call: old }: JsonObject): readonly Piece[] {
  const list: readonly JsonValue[] = Array.isArray(calls) ? calls : [calls ?? old ?? null];
  return list.flatMap((call) => {
    if (!isObject(call)) return [];
    const inner = isObject(call['function']) ? call['function'] : call;
    return [
      {
        id: plainText(call['id']),
        index: indexOf(call['index']),
        name: plainText(inner['name']).trim(),
        json: argumentsOf(inner['arguments'] ?? inner['parameters'] ?? inner['input']),
        extra: call['extra_content'],
      },
    ];
  });
}

function plainText(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function indexOf(value: JsonValue | undefined): number | null {
  const index = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof index === 'number' && Number.isSafeInteger(index) ? index : null;
}

/** Arguments as JSON text. Some servers give the object itself, an empty one before the whole. */
function argumentsOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  const isEmpty =
    value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);
  return isEmpty ? '' : JSON.stringify(value);
}
