import type { ReactNode } from 'react';
import { visibleText } from './hidden-characters.ts';

/** Where a link leads, and what it is called. */
export type SafeLinkProps = {
  readonly href: string | undefined;
  readonly title?: string | undefined;
  readonly children: ReactNode;
};

/**
 * A link of a model. It says which host it leads to, whatever its text pretends; an address that is none of the web or
 * of mail is text. Nothing is loaded before a click.
 */
export function SafeLink({ href, title, children }: SafeLinkProps): ReactNode {
  const target = href === undefined ? null : targetOf(href);
  const names = [href, title].filter((one) => one !== undefined && one !== '');
  if (href === undefined || target === null)
    return <span title={visibleText(names.join('\n')) || undefined}>{children}</span>;
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={visibleText(names.join('\n'))}>
        {children}
      </a>{' '}
      <bdi className="vitrine-link-target">{target}</bdi>
    </>
  );
}

/** Where a link leads as people can judge it: letters that only look like others are spelled in ASCII. */
function targetOf(href: string): string | null {
  const url = URL.canParse(href) ? new URL(href) : null;
  if (url === null) return null;
  if (url.protocol === 'mailto:') return url.pathname.slice(0, 100);
  if (!/^https?:$/.test(url.protocol)) return null;
  // What an address says beyond its path may tell its server what was said here.
  return `${url.host}${url.search === '' ? '' : ' ?…'}`;
}
