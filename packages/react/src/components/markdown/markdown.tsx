'use client';

import { memo, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import remend from 'remend';
import { takeUnlessLeft } from '../kit/take-unless-left.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { SourcesContext } from '../messages/conversation-settings.tsx';
import { useTexts } from '../texts-provider.tsx';
import { Code } from './code.tsx';
import { type DrawingTools, drawMarkdown, type MathsReader } from './draw-markdown.tsx';
import { exceedsLimits } from './exceeds-limits.ts';
import { pageBox } from './page-box.ts';
import { type FencedCode, fencedCode, splitBlocks } from './split-blocks.ts';
import type { TimeBox } from './time-box.ts';

type MarkdownProps = {
  /** The text, which may grow while an answer streams. */
  readonly text: string;
  /** True while more text comes: a mark at its end that is still open, such as that of bold text, counts as closed. */
  readonly isStreaming?: boolean | undefined;
  /**
   * Shares the time of each frame with the page: a block that comes too late is shown as text for some frames.
   * Default: true in browsers, false on a server.
   */
  readonly isPaced?: boolean;
};

/**
 * Renders Markdown of a model: sanitised, with HTML as plain text, and without loading anything from other
 * hosts. Text that is nested too deeply or takes too long is shown as it is.
 *
 * Only the last block of a growing text is parsed again. Colours of code load with the first finished code
 * block, formulas with the first text that contains one.
 */
export function Markdown(props: MarkdownProps): ReactNode {
  const { text, isStreaming = false, isPaced = typeof document !== 'undefined' } = props;
  return <TimedMarkdown text={text} isOpen={isStreaming} timeBox={isPaced ? pageBox : endless} />;
}

const endless: TimeBox = { take: (work) => work(), whenFree: () => () => undefined };

type TimedProps = { readonly text: string; readonly timeBox: TimeBox; readonly isOpen?: boolean };

export function TimedMarkdown({ text, timeBox, isOpen = false }: TimedProps): ReactNode {
  const blocks = useMemo(() => splitBlocks(text), [text]);
  return (
    <div className="vitrine-markdown" dir="auto">
      {blocks.map((block, index) => (
        <Block key={index} text={block} timeBox={timeBox} isOpen={isOpen && index === blocks.length - 1} />
      ))}
    </div>
  );
}

/** The rendered state of a block. `elements` is null when the text itself is shown. */
type Drawn = { readonly text: string; readonly elements: ReactNode; readonly isWaiting: boolean };

/** One block. A finished block is parsed once; while an answer streams only its last block changes. */
const Block = memo(function Block({ text, timeBox, isOpen = false }: TimedProps): ReactNode {
  const maths = useMaths(text);
  const words = useTexts().hiddenCharacters;
  const sources = useContext(SourcesContext);
  const drawing = useMemo(
    () => ({ text, maths, words, sources, timeBox, isOpen }),
    [text, maths, words, sources, timeBox, isOpen],
  );
  const [drawn, setDrawn] = useState(() => draw(drawing, null));
  const [asked, setAsked] = useState(drawing);
  if (asked !== drawing) {
    setAsked(drawing);
    setDrawn(draw(drawing, drawn));
  }
  const { isWaiting } = drawn;
  useEffect(() => {
    if (!isWaiting) return undefined;
    return timeBox.whenFree(() => setDrawn((before) => draw(drawing, before)));
  }, [isWaiting, drawn, drawing, timeBox]);
  if (drawn.elements === null) return <Plain text={text} />;
  return (
    <>
      {drawn.elements}
      {drawn.text !== text && <Plain text={text.slice(drawn.text.length)} />}
    </>
  );
});

function Plain({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="vitrine-plain">
      <VisibleText text={text} />
    </p>
  );
}

type Drawing = TimedProps & DrawingTools;

/** Without time left, the earlier elements stay, followed by the new text. */
function draw({ text, timeBox, isOpen = false, ...tools }: Drawing, before: Drawn | null): Drawn {
  // Code needs no parser, so its length is unlimited.
  const fenced = fencedCode(text);
  if (fenced !== null) return { text, elements: ofFence(fenced, tools.maths), isWaiting: false };
  if (exceedsLimits(text)) return { text, elements: null, isWaiting: false };
  const elements = timeBox.take(() => drawMarkdown(isOpen ? closeMarks(text) : text, tools));
  if (elements !== null) return { text, elements, isWaiting: false };
  if (before?.elements && text.startsWith(before.text)) return { ...before, isWaiting: true };
  return { text, elements: null, isWaiting: true };
}

/** Greatest number of characters of a block whose open marks are closed, because each delta looks through all of it. */
const mostClosed = 4_000;

/** Closes marks that are open at the end of a block, and leaves out one without a text, so that none of them flashes. */
function closeMarks(text: string): string {
  if (text.length > mostClosed) return text;
  return remend(text.replace(/(?<=^|\s)(?:\*{1,3}|_{1,3}|~~?|`)$/, ''), {
    linkMode: 'text-only',
    comparisonOperators: false,
    htmlTags: false,
    katex: false,
    // It puts an invisible character behind a hyphen.
    setextHeadings: false,
    singleTilde: false,
  });
}

function ofFence(fenced: FencedCode, maths: DrawingTools['maths']): ReactNode {
  const isFormula = fenced.info === 'math' && fenced.isFinished;
  return isFormula && maths !== null ? <maths.Maths tex={fenced.code} isDisplay /> : <Code {...fenced} />;
}

let loaded: MathsReader | null = null;

/** Loads the renderer of formulas with the first text that contains one. Null until then, and if loading fails. */
function useMaths(text: string): MathsReader | null {
  const isAsked = text.includes('$$') || /^ {0,3}(?:`{3,}|~{3,})math\b/m.test(text);
  const [maths, setMaths] = useState(loaded);
  useEffect(() => {
    if (!isAsked || maths !== null) return undefined;
    const loading = import('./maths.tsx').then(({ mathsReader }) => (loaded = mathsReader));
    return takeUnlessLeft(loading, setMaths);
  }, [isAsked, maths]);
  return isAsked ? maths : null;
}
