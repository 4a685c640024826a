'use client';

import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import remarkMath from 'remark-math';
import temml from 'temml';
import { visibleText } from '../kit/hidden-characters.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

export type MathsProps = {
  readonly tex: string;
  /** True for a formula on its own line. */
  readonly isDisplay: boolean;
};

/** A formula as MathML, which browsers render and screen readers announce. Invalid or oversized formulas stay text. */
export function Maths({ tex, isDisplay }: MathsProps): ReactNode {
  const formula = useMemo(() => drawFormula(tex, isDisplay), [tex, isDisplay]);
  const label = useTexts().messages.formula;
  if (formula === null)
    return (
      <code>
        <VisibleText text={tex} />
      </code>
    );
  if (!isDisplay) return formula;
  return (
    <div className="vitrine-maths" tabIndex={0} role="group" aria-label={label}>
      {formula}
    </div>
  );
}

/** The Markdown plugin for formulas with its options, and the renderer. A single dollar is money. */
export const mathsReader = { plugin: [remarkMath, { singleDollarTextMath: false }], Maths } as const;

/** Maximum length of a formula in characters, and maximum nesting, because the renderer is recursive. */
const longest = 2000;
const deepest = 60;

type Node = {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
};

function drawFormula(tex: string, isDisplay: boolean): ReactNode {
  if (tex.length > longest) return null;
  try {
    return toElement(
      temml.__renderToMathMLTree(tex, {
        displayMode: isDisplay,
        throwOnError: true,
        annotate: true,
        trust: false,
        strict: false,
        maxSize: [20, 20],
        maxExpand: 200,
      }) as Node,
      0,
      0,
    );
  } catch {
    // Invalid TeX, or nested too deeply.
    return null;
  }
}

/** Converts to React elements, so that no part of it is parsed as HTML and styles obey the page's policy. */
function toElement(node: Node, key: number, depth: number): ReactNode {
  if (depth > deepest) throw new RangeError('The formula is too deep.');
  const { type, text, attributes = {}, classes = [], style, children = [] } = node;
  if (text !== undefined) return <FormulaText key={key} text={text} />;
  const inner = children.map((child, at) => toElement(child, at, depth + 1));
  if (type === undefined) return <Fragment key={key}>{inner}</Fragment>;
  if (!isMathML.test(type)) throw new TypeError(`A formula holds no ${type}.`);
  const own = Object.entries(attributes).filter(([name]) => isHarmless.test(name));
  return createElement(
    type,
    {
      ...Object.fromEntries(own),
      key,
      className: classes.join(' ').trim() || undefined,
      ...(hasStyles && { style }),
    },
    ...inner,
  );
}

/** A text in a formula, where an element that is no MathML breaks the drawing. */
function FormulaText({ text }: { readonly text: string }): ReactNode {
  const { hiddenCharacters } = useTexts();
  return visibleText(text, hiddenCharacters);
}

/** Browsers with partial MathML support give its elements no styles. */
const hasStyles = 'MathMLElement' in globalThis;
const isMathML = /^(?:math|m[a-z]+|semantics|annotation)$/;
const isHarmless = /^(?!on|href|src|style)[a-z-]+$/i;
