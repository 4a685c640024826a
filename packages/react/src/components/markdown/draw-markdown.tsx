'use client';

import type { ComponentProps, ReactNode } from 'react';
import toElements, { type Components, type ExtraProps, type Options } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { SafeLink } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import type { UsedTexts } from '../texts.ts';
import type { Sources } from '../messages/conversation-settings.tsx';
import { Citation, citeSources } from './cite-sources.tsx';
import { Code } from './code.tsx';
import { keepText } from './keep-text.ts';
import { showHidden } from './show-hidden.ts';

export type DrawingTools = {
  /** The renderer of formulas; null leaves them as text. */
  readonly maths: MathsReader | null;
  /** The words of the labels in place of invisible characters. */
  readonly words: UsedTexts['hiddenCharacters'];
  readonly sources: Sources;
};

/** Renders a block of Markdown as elements. The time and stack depend on the block: see `exceedsLimits`. */
export function drawMarkdown(block: string, { maths, words, sources }: DrawingTools): ReactNode {
  const rehypePlugins: Options['rehypePlugins'] = [
    [rehypeSanitize, schema],
    [citeSources, sources],
    [showHidden, words],
  ];
  // Called as a function (the component has no hooks), so that its time is measured by the caller.
  return toElements({ ...(maths === null ? options : withMaths(maths)), rehypePlugins, children: block });
}

/** The parser and renderer of formulas. */
export type MathsReader = (typeof import('./maths.tsx'))['mathsReader'];

const schema = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    p: [['className', 'vitrine-plain']],
    code: [...(defaultSchema.attributes?.['code'] ?? []), 'dataOpen'],
  },
} satisfies typeof defaultSchema;

const components: Components = {
  a: ({ href, title, node, children }) =>
    node?.properties['dataCitation'] === undefined ? (
      <SafeLink href={href} title={title}>
        {children}
      </SafeLink>
    ) : (
      <Citation className="vitrine-citation" href={href} title={title}>
        {children}
      </Citation>
    ),
  // Loading an image would tell its server that the answer was read, so it becomes a link.
  img: ({ src, alt, title }) => (
    <SafeLink href={typeof src === 'string' ? src : undefined} title={title}>
      {alt || <ImageWithoutName />}
    </SafeLink>
  ),
  pre: ({ node }) => <Code {...codeIn(node)} />,
  table: Table,
};

function ImageWithoutName(): ReactNode {
  return useTexts().messages.image;
}

function Table({ children }: ComponentProps<'table'>): ReactNode {
  return (
    <div className="vitrine-table" tabIndex={0} role="group" aria-label={useTexts().messages.table}>
      <table>{children}</table>
    </div>
  );
}

/** The code of a `pre` with its fence: the language is in a class, the rest in its data. */
function codeIn(pre: ExtraProps['node']): ComponentProps<typeof Code> {
  const code = pre?.children.find((child) => child.type === 'element');
  const names = code?.properties['className'];
  const language = Array.isArray(names) ? String(names[0]).replace(/^language-/, '') : '';
  const text = code?.children.map((child) => (child.type === 'text' ? child.value : '')).join('') ?? '';
  return {
    info: [language, code?.data?.meta].filter(Boolean).join(' '),
    code: text.replace(/\n$/, ''),
    isFinished: code?.properties['dataOpen'] === undefined,
  };
}

function withMaths({ plugin: [plugin, settings], Maths }: MathsReader): Options {
  return {
    ...options,
    remarkPlugins: [remarkGfm, [plugin, settings], keepText],
    components: {
      ...components,
      // The class that remark-math sets. No other inline code has a class.
      code: ({ className, children }) =>
        className === 'language-math' ? (
          <Maths tex={String(children)} isDisplay={false} />
        ) : (
          <code>{children}</code>
        ),
      pre: ({ node }) => {
        const code = codeIn(node);
        return code.info === 'math' && code.isFinished ? (
          <Maths tex={code.code} isDisplay />
        ) : (
          <Code {...code} />
        );
      },
    },
  };
}

const options: Options = { remarkPlugins: [remarkGfm, keepText], components };
