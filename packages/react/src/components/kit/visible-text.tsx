'use client';

import { Fragment, type ReactNode, useMemo } from 'react';
import { useTexts } from '../texts-provider.tsx';
import { visibleParts, visibleText } from './hidden-characters.ts';

/**
 * A text with labels in place of invisible characters. Each part has an element of its own: translators of pages replace
 * text nodes, and React changes and removes elements without looking at their text nodes.
 */
export function VisibleText({ text }: { readonly text: string }): ReactNode {
  const { hiddenCharacters } = useTexts();
  const parts = useMemo(() => visibleParts(text, hiddenCharacters), [text, hiddenCharacters]);
  return parts.map((part, index) =>
    'label' in part ? (
      <span key={index} className="vitrine-hidden-characters" title={part.title}>
        {part.label}
      </span>
    ) : (
      <span key={index}>{part.text}</span>
    ),
  );
}

const place = '\ufffc';

type TextAroundProps = {
  readonly text: (value: string) => string;
  /** The element in the place of the value. */
  readonly children: ReactNode;
};

/** A text with an element in the place of its value. */
export function TextAround({ text, children }: TextAroundProps): ReactNode {
  const parts = text(place).split(place);
  return parts.map((part, index) => (
    <Fragment key={index}>
      {index > 0 && children}
      {part}
    </Fragment>
  ));
}

type SafeLinkProps = {
  /** The address as the model wrote it. */
  readonly href: string | undefined;
  /** The title of the link in Markdown. */
  readonly title?: string | undefined;
  /** The label of the link. */
  readonly children: ReactNode;
};

/**
 * A link from a model. It always shows its real host, whatever its text says. A URL that is not http(s) or
 * mailto is rendered as text. Nothing is loaded before a click.
 */
export function SafeLink({ href, title, children }: SafeLinkProps): ReactNode {
  const { hiddenCharacters } = useTexts();
  const target = href === undefined ? null : safeTargetOf(href);
  const names = [href, title].filter((one) => one !== undefined && one !== '');
  const named = visibleText(names.join('\n'), hiddenCharacters);
  if (href === undefined || target === null) return <span title={named || undefined}>{children}</span>;
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={named}>
        {children}
      </a>
      <span> </span>
      <bdi className="vitrine-link-target">{target}</bdi>
    </>
  );
}

/**
 * The target of a link in a form that people can judge: look-alike letters appear as punycode. Null for other schemes.
 */
export function safeTargetOf(href: string): string | null {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return null;
  }
  if (url.protocol === 'mailto:') return url.pathname.slice(0, 100);
  if (!/^https?:$/.test(url.protocol)) return null;
  // The query could leak parts of the conversation to that server, so its presence is shown.
  return `${url.host}${url.search === '' ? '' : ' ?…'}`;
}
