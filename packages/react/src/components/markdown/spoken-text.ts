'use client';

import { isValidElement, type ReactNode } from 'react';
import toElements from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { exceedsLimits } from './exceeds-limits.ts';
import { keepText } from './keep-text.ts';
import { fencedCode, splitBlocks } from './split-blocks.ts';

/**
 * Returns Markdown as a voice reads it: without marks, with links by their text, images by their name, and each heading,
 * item, row and paragraph as a sentence of its own.
 */
export function spokenText(markdown: string): string {
  const lines = splitBlocks(markdown)
    .flatMap((block) => linesOf(block))
    .map((line) =>
      line
        .replaceAll(/\s+/g, ' ')
        .replace(/[ ,]{1,50}$/, '')
        .trim(),
    )
    .filter((line) => line !== '');
  return lines
    .map((line, at) => (at < lines.length - 1 && /[\p{L}\p{N})]$/u.test(line) ? `${line}.` : line))
    .join(' ');
}

function linesOf(block: string): string[] {
  const fenced = fencedCode(block);
  if (fenced !== null) return [fenced.code];
  if (exceedsLimits(block)) return [block];
  const drawn = toElements({
    remarkPlugins: [remarkGfm, keepText],
    rehypePlugins: [rehypeSanitize],
    children: block,
  });
  return textOf(drawn, 0).split(lineEnd);
}

/** The mark between lines, which sanitised text cannot contain. */
const lineEnd = '\u0000';

const lineElements = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'tr', 'pre', 'blockquote']);

/** Elements nest less deeply than this, because of `exceedsLimits`. */
const deepest = 1_000;

function textOf(node: ReactNode, depth: number): string {
  if (typeof node === 'string') return node;
  if (depth > deepest) return '';
  if (Array.isArray(node)) return node.map((child: ReactNode) => textOf(child, depth + 1)).join('');
  if (!isValidElement<{ readonly children?: ReactNode; readonly alt?: string }>(node)) return '';
  const { type, props } = node;
  if (type === 'img') return props.alt ?? '';
  const text = textOf(props.children, depth + 1);
  if (type === 'td' || type === 'th') return `${text}, `;
  return typeof type === 'string' && lineElements.has(type) ? `${lineEnd}${text}${lineEnd}` : text;
}
