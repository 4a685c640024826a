import { VisibleText } from '@vitrine/react/components';
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import { Code } from './code.tsx';
import { drawMarkdown, type MathsReader } from './draw-markdown.tsx';
import { exceedsLimits } from './exceeds-limits.ts';
import { pageBox } from './page-box.ts';
import { type FencedCode, fencedCode, splitBlocks } from './split-blocks.ts';
import type { TimeBox } from './time-box.ts';
import { useMaths } from './use-maths.ts';

type MarkdownProps = { readonly text: string; readonly timeBox?: TimeBox };

/**
 * Renders Markdown of a model: sanitised, with HTML as plain text, and without loading anything from other
 * hosts. Text that is nested too deeply or takes too long is shown as it is.
 */
export function Markdown({ text, timeBox = pageBox }: MarkdownProps): ReactNode {
  const blocks = useMemo(() => splitBlocks(text), [text]);
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => (
        <Block key={index} text={block} timeBox={timeBox} />
      ))}
    </div>
  );
}

/** The rendered state of a block. `elements` is null when the text itself is shown. */
type Drawn = { readonly text: string; readonly elements: ReactNode; readonly isWaiting: boolean };

/** One block. A finished block is parsed once; while an answer streams only its last block changes. */
const Block = memo(function Block({ text, timeBox }: Required<MarkdownProps>): ReactNode {
  const maths = useMaths(text);
  const [drawn, setDrawn] = useState(() => draw({ text, maths, timeBox }, null));
  const [asked, setAsked] = useState({ text, maths });
  if (asked.text !== text || asked.maths !== maths) {
    setAsked({ text, maths });
    setDrawn(draw({ text, maths, timeBox }, drawn));
  }
  const { isWaiting } = drawn;
  useEffect(() => {
    if (!isWaiting) return undefined;
    return timeBox.whenFree(() => setDrawn((before) => draw({ text, maths, timeBox }, before)));
  }, [isWaiting, drawn, text, maths, timeBox]);
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
    <p className="plain">
      <VisibleText text={text} />
    </p>
  );
}

type Drawing = Required<MarkdownProps> & { readonly maths: MathsReader | null };

/** Without time left, the earlier elements stay, followed by the new text. */
function draw({ text, maths, timeBox }: Drawing, before: Drawn | null): Drawn {
  // Code needs no parser, so its length is unlimited.
  const fenced = fencedCode(text);
  if (fenced !== null) return { text, elements: ofFence(fenced, maths), isWaiting: false };
  if (exceedsLimits(text)) return { text, elements: null, isWaiting: false };
  const elements = timeBox.take(() => drawMarkdown(text, maths));
  if (elements !== null) return { text, elements, isWaiting: false };
  if (before?.elements && text.startsWith(before.text)) return { ...before, isWaiting: true };
  return { text, elements: null, isWaiting: true };
}

function ofFence(fenced: FencedCode, maths: MathsReader | null): ReactNode {
  const isFormula = fenced.info === 'math' && fenced.isFinished;
  return isFormula && maths !== null ? <maths.Maths tex={fenced.code} isDisplay /> : <Code {...fenced} />;
}
