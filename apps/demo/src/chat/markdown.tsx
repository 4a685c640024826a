import { type ComponentProps, memo, type ReactNode, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { exceedsLimits } from './exceeds-limits.ts';
import { splitBlocks } from './split-blocks.ts';

/** Markdown of a model: sanitised, without raw HTML, and never loading anything from elsewhere. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  const blocks = useMemo(() => splitBlocks(text), [text]);
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </div>
  );
}

/** A finished block is parsed once; while an answer streams only its last block changes. */
const Block = memo(function Block({ text }: { readonly text: string }): ReactNode {
  if (exceedsLimits(text)) return <p className="plain">{text}</p>;
  return (
    <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={components}>
      {text}
    </ReactMarkdown>
  );
});

const components: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  // An image of a model would tell its server that, and what, was read: it becomes a link.
  img: ({ src, alt }) => (
    <SafeLink href={typeof src === 'string' ? src : undefined}>{alt || 'image'}</SafeLink>
  ),
  table: (props: ComponentProps<'table'>) => (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Table">
      <table>{props.children}</table>
    </div>
  ),
};

function SafeLink({
  href,
  children,
}: {
  readonly href: string | undefined;
  readonly children: ReactNode;
}): ReactNode {
  if (href === undefined || !/^(?:https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  );
}
