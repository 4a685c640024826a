/** A piece of an answer's text. */
export type TextPiece = { readonly isThought: boolean; readonly text: string };

/** Separates thoughts in tags at the start of a text from the text. */
export type ThinkTags = {
  /** The pieces that this text completes. */
  readonly add: (text: string) => readonly TextPiece[];
  /** The pieces that were kept back, when the text has ended. */
  readonly end: () => readonly TextPiece[];
};

/** The tags of known models, each with the one that ends it. */
const tags: readonly (readonly [string, string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
];

/** The longest white space before a thought, in characters. */
const maxSpace = 1000;

export function createThinkTags(): ThinkTags {
  /** Text that is kept back, because a tag may begin or end in it. */
  let kept = '';
  /** The tag that ends the present thought; null outside of thoughts. */
  let closing: string | null = null;
  /** True when no thought can begin any more. */
  let isText = false;
  let hasThought = false;

  /** Takes the next piece of the kept text; false when more text is needed. */
  function step(pieces: TextPiece[]): boolean {
    if (isText) return cut(pieces, false, kept.length);
    if (closing !== null) {
      const at = kept.indexOf(closing);
      if (at < 0) return cut(pieces, true, kept.length - overlap(kept, closing));
      cut(pieces, true, at);
      kept = kept.slice(closing.length);
      closing = null;
      return true;
    }
    const text = kept.trimStart();
    const tag = tags.find(([opening]) => text.startsWith(opening));
    if (tag === undefined && kept.length < maxSpace && tags.some(([opening]) => opening.startsWith(text)))
      return false;
    if (tag !== undefined) {
      closing = tag[1];
      kept = text.slice(tag[0].length);
      hasThought = true;
    } else {
      isText = true;
      if (hasThought) kept = text;
    }
    return true;
  }

  function cut(pieces: TextPiece[], isThought: boolean, length: number): false {
    const text = kept.slice(0, length);
    kept = kept.slice(length);
    if (text !== '') pieces.push({ isThought, text });
    return false;
  }

  return {
    add(text) {
      kept += text;
      const pieces: TextPiece[] = [];
      while (step(pieces)) continue;
      return pieces;
    },
    end() {
      const pieces: TextPiece[] = [];
      cut(pieces, closing !== null, kept.length);
      return pieces;
    },
  };
}

/** Characters at the end of a text with which the tag may begin. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
