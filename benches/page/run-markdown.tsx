import { type ComponentType, type ReactNode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { markdownText } from './markdown-text.ts';
import { pause } from './probe.ts';

export type MarkdownParams = {
  /** Characters of the existing text. */ readonly length: number;
  readonly deltas: number;
  /** Characters of each delta. */ readonly size: number;
};

type Text = ComponentType<{ readonly text: string }>;
type Peer = { readonly Streamdown: ComponentType<{ readonly children: string }> };

/** The renderer whose package the benches install, which the types of the root do not know. */
const peers = import.meta.glob<Peer>('../../tests/peers/streamdown.ts');

const renderers: Readonly<Record<string, () => Promise<Text>>> = {
  /** The cost of plain text and of frames alone. */
  text: async () =>
    function PlainText({ text }) {
      return <pre>{text}</pre>;
    },
  demo: async () => {
    const { Markdown } = await import('@vitrine/react/markdown');
    // Everything is drawn in its frame.
    return function OfDemo({ text }) {
      return <Markdown text={text} isPaced={false} />;
    };
  },
  'react-markdown': async () => {
    const [{ default: Whole }, { default: gfm }, { default: sanitize }] = await Promise.all([
      import('react-markdown'),
      import('remark-gfm'),
      import('rehype-sanitize'),
    ]);
    return function OfReactMarkdown({ text }) {
      return (
        <Whole remarkPlugins={[gfm]} rehypePlugins={[sanitize]}>
          {text}
        </Whole>
      );
    };
  },
  streamdown: async () => {
    const [load] = Object.values(peers);
    if (load === undefined) throw new Error('There is no tests/peers/streamdown.ts.');
    const { Streamdown } = await load();
    return function OfStreamdown({ text }) {
      return <Streamdown>{text}</Streamdown>;
    };
  },
};

/** Measures an answer that grows by a delta per frame, after one that is already long. */
export async function runMarkdown(name: string, params: MarkdownParams): Promise<() => Promise<number>> {
  const Renderer = await renderers[name]?.();
  if (Renderer === undefined) throw new Error(`There is no renderer ${name}.`);
  const { length, deltas, size } = params;
  const whole = markdownText(length + 2 * deltas * size);
  let grow: (to: number) => void = () => undefined;
  const Page = (): ReactNode => {
    const [end, setEnd] = useState(length);
    grow = setEnd;
    return <Renderer text={whole.slice(0, end)} />;
  };
  const root = document.getElementById('root') ?? document.body;
  createRoot(root).render(<Page />);
  const stream = async (from: number): Promise<void> => {
    for (let at = 1; at <= deltas; at++) {
      grow(from + at * size);
      await nextFrame();
    }
    await pause(300);
  };
  // The first half is slower, because the code is still being compiled.
  await pause(300);
  await stream(length);
  return async () => {
    await stream(length + deltas * size);
    return (root.textContent ?? '').length;
  };
}

const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
