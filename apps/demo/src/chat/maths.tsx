import { VisibleText } from '@vitrine/react/components';
import remarkMath from 'remark-math';
import temml from 'temml';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import '../styles/maths.css';

export type MathsProps = {
  readonly tex: string;
  /** A line of its own. */
  readonly isDisplay: boolean;
};

/** A formula as MathML, which browsers draw and read out; what is none, or too much of one, stays the text that it is. */
export function Maths({ tex, isDisplay }: MathsProps): ReactNode {
  const formula = useMemo(() => drawn(tex, isDisplay), [tex, isDisplay]);
  if (formula === null)
    return (
      <code>
        <VisibleText text={tex} />
      </code>
    );
  if (!isDisplay) return formula;
  return (
    <div className="maths" tabIndex={0} role="region" aria-label="Formula">
      {formula}
    </div>
  );
}

/** What reads formulas out of Markdown, with its options, and what draws them: a single dollar is money. */
export const mathsReader = { plugin: [remarkMath, { singleDollarTextMath: false }], Maths } as const;

/** Characters of a formula, and how deep its parts may be in each other: below that, what draws it runs out of stack. */
const longest = 2000;
const deepest = 60;

/** What is used of the tree of a formula; text has neither type nor children. */
type Node = {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
};

function drawn(tex: string, isDisplay: boolean): ReactNode {
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
    // It is no TeX, or goes too deep.
    return null;
  }
}

/** As elements of React, which writes styles where a policy allows it: nothing of it is ever read as HTML. */
function toElement(node: Node, key: number, depth: number): ReactNode {
  if (depth > deepest) throw new RangeError('The formula is too deep.');
  const { type, text, attributes = {}, classes = [], style, children = [] } = node;
  if (text !== undefined) return <VisibleText key={key} text={text} />;
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

/** Browsers that know MathML by half give its elements no styles. */
const hasStyles = 'MathMLElement' in globalThis;
const isMathML = /^(?:math|m[a-z]+|semantics|annotation)$/;
const isHarmless = /^(?!on|href|src|style)[a-z-]+$/i;
