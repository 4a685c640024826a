export type TextPiece = { readonly isThought: boolean; readonly text: string };

/** The models whose template opens the thought in the prompt, so that their answers hold its end alone. */
export type OpenThoughts = ReturnType<typeof createOpenThoughts>;

/** Names of models whose published template opens a thought in the prompt. */
const openers = /deepseek[-_ ]?r1|\br1[-_]1776|qwq|[-_]thinking|minimax[-_]m2|nemotron[-_]?3/i;
const mostModels = 1000;

/** Knows such models by their names at first, and afterwards by their last answers. */
export function createOpenThoughts(isAlways: boolean) {
  const noted = new Map<string, boolean>();
  return {
    has: (model: string): boolean => isAlways || (noted.get(model) ?? openers.test(model)),
    /** Notes the form of an answer for the next one. */
    note(model: string, isOpen: boolean): void {
      if (noted.has(model) || noted.size < mostModels) noted.set(model, isOpen);
    },
  };
}

type ThinkTags = {
  /** The pieces that this text completes. */
  readonly add: (text: string) => readonly TextPiece[];
  /** Takes the text as no thought unless a tag opens one, as thoughts come in a field of their own. */
  readonly close: () => void;
  /** The pieces that were kept back, when the text has ended. */
  readonly end: (isCut: boolean) => readonly TextPiece[];
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

/** The tag that ends a thought which the prompt has opened. */
const unopened = '</think>';

/** The longest white space before a thought, in characters. */
const maxSpace = 1000;

/** @param isOpen True for an answer that begins as a thought. @param note Called once it is known whether it did. */
export function createThinkTags(isOpen: boolean, note: (isOpen: boolean) => void): ThinkTags {
  /** Text that is kept back, because a tag may begin or end in it. */
  let kept = '';
  /** The tag that ends the present thought; null outside of thoughts. */
  let closing: string | null = null;
  /** True when no thought can begin any more. */
  let isText = false;
  let hasThought = false;
  let mayBeOpen = isOpen;
  /** The thought that no tag has opened, so far; null for none. */
  let assumed: string[] | null = null;
  const endsUnopened = createUnopenedSearch();

  /** Takes the next piece of the kept text; false when more text is needed. */
  function step(pieces: TextPiece[]): boolean {
    if (isText) return cut(pieces, false, kept.length);
    if (closing !== null) return stepThought(pieces, closing);
    const text = kept.trimStart();
    const tag = tags.find(([opening]) => text.startsWith(opening));
    if (tag === undefined && kept.length < maxSpace && tags.some(([opening]) => opening.startsWith(text)))
      return false;
    if (tag !== undefined) {
      closing = tag[1];
      kept = text.slice(tag[0].length);
      hasThought = true;
      mayBeOpen = false;
    } else if (!hasThought && (mayBeOpen || endsThought(`\n${kept}`))) {
      closing = unopened;
      assumed = [];
      hasThought = true;
    } else {
      isText = true;
      if (hasThought) kept = text;
    }
    return true;
  }

  function stepThought(pieces: TextPiece[], tag: string): boolean {
    const at = kept.indexOf(tag);
    if (at < 0) return cut(pieces, true, kept.length - overlap(kept, tag));
    cut(pieces, true, at);
    kept = kept.slice(tag.length);
    closing = null;
    if (assumed !== null) note(true);
    assumed = null;
    return true;
  }

  function cut(pieces: TextPiece[], isThought: boolean, length: number): false {
    const text = kept.slice(0, length);
    kept = kept.slice(length);
    if (text === '' || (assumed?.length === 0 && text.trim() === '')) return false;
    if (isThought) assumed?.push(text);
    else if (!hasThought && endsUnopened(text)) note((hasThought = true));
    pieces.push({ isThought, text });
    return false;
  }

  return {
    add(text) {
      kept += text;
      const pieces: TextPiece[] = [];
      while (step(pieces)) continue;
      return pieces;
    },
    close: () => void (mayBeOpen = false),
    end(isCut) {
      const pieces: TextPiece[] = [];
      cut(pieces, closing !== null, kept.length);
      // No thought has ended, so this was the answer.
      if (assumed !== null && !isCut) {
        note(false);
        pieces.push({ isThought: false, text: assumed.join('') });
      }
      assumed = null;
      closing = null;
      return pieces;
    },
  };
}

/** The most white space between the start of a line and a tag. */
const maxIndent = 20;

/** Looks in the pieces of a text for a thought that ends where none began, from which the next answer is known. */
function createUnopenedSearch(): (text: string) => boolean {
  let seen = '\n';
  return (text) => {
    seen += text;
    const isFound = endsThought(seen);
    seen = seen.slice(-(unopened.length + maxIndent));
    return isFound;
  };
}

/** True for a text with an end of thoughts that begins or ends a line; within a line it is quoted. */
function endsThought(text: string): boolean {
  const at = text.indexOf(unopened);
  if (at < 0) return false;
  const before = text.slice(Math.max(0, at - maxIndent), at);
  const line = before.lastIndexOf('\n');
  return text[at + unopened.length] === '\n' || (line >= 0 && before.slice(line).trim() === '');
}

/** Characters at the end of a text with which the tag may begin. */
export function overlap(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
