import type { JsonValue } from '@vitrine/core';
import { readJson } from '@vitrine/core/internal/kit/json';
import { readCall, type OfferedTools, type TextCall, type TextReader } from './offered-calls.ts';
import { overlap, type TextPiece } from './think-tags.ts';

/** The marks with which an answer in OpenAI's harmony format begins. */
export const harmonyStarts: readonly string[] = ['<|channel|>', '<|start|>'];

/** The end of a head, and the ends of a body. */
const message = '<|message|>';
const ends = ['<|end|>', '<|call|>', '<|return|>', ...harmonyStarts];
const end = /<\|(?:end|call|return|channel|start)\|>/;
/** The longest head, in characters; a longer one is text. */
const maxHead = 1000;

type Body = 'text' | 'thought' | { readonly name: string; readonly head: string };

/** Reads harmony from its first mark on: `analysis` is a thought, a body to a function a call, and the rest text. */
export function createHarmony(tools: OfferedTools): TextReader {
  let kept = '';
  /** The kind of the present body; null in a head, or between bodies. */
  let body: Body | null = null;
  /** The arguments of a call so far. */
  let json = '';

  function step(pieces: (TextPiece | TextCall)[]): boolean {
    if (body !== null) return stepBody(pieces, body);
    const at = kept.indexOf(message);
    const begun = kept.trimStart();
    const isHead = harmonyStarts.some((one) => begun.startsWith(one) || one.startsWith(begun));
    if (isHead && at < 0 && kept.length <= maxHead) return false;
    if (!isHead || at < 0) {
      body = 'text';
      return true;
    }
    const head = kept.slice(0, at);
    kept = kept.slice(at + message.length);
    body = bodyOf(head, tools);
    return true;
  }

  function stepBody(pieces: (TextPiece | TextCall)[], kind: Body): boolean {
    const found = end.exec(kept);
    const length = found?.index ?? kept.length - Math.max(...ends.map((one) => overlap(kept, one)));
    const text = kept.slice(0, length);
    kept = kept.slice(length);
    if (typeof kind === 'object') json += text;
    else if (text !== '') pieces.push({ isThought: kind === 'thought', text });
    if (found === null) return false;
    if (!harmonyStarts.includes(found[0])) kept = kept.slice(found[0].length);
    endBody(pieces);
    return kept !== '';
  }

  function endBody(pieces: (TextPiece | TextCall)[]): void {
    if (body !== null && typeof body === 'object') {
      const { name, head } = body;
      const call = readCall({ name, arguments: inputOf(json) }, tools);
      pieces.push(call ?? { isThought: false, text: `${head}${message}${json}` });
    }
    body = null;
    json = '';
  }

  return {
    add(text) {
      kept += text;
      const pieces: (TextPiece | TextCall)[] = [];
      while (step(pieces)) continue;
      return pieces;
    },
    end() {
      const pieces: (TextPiece | TextCall)[] = [];
      if (body === null && kept.trim() !== '') pieces.push({ isThought: false, text: kept });
      else if (body !== null && typeof body === 'object') json += kept;
      else if (body !== null && kept !== '') pieces.push({ isThought: body === 'thought', text: kept });
      kept = '';
      endBody(pieces);
      return pieces;
    },
  };
}

function bodyOf(head: string, tools: OfferedTools): Body {
  const name = /\bto=(?:functions\.)?([\w.-]+)/.exec(head)?.[1];
  if (name !== undefined) return { name: tools.has(name) ? name : '', head };
  return head.includes('analysis') ? 'thought' : 'text';
}

/** Arguments as an object where they are one, and as they came otherwise. */
function inputOf(json: string): JsonValue {
  const read = readJson(json);
  return read.ok ? read.value : json.trim();
}
