import { Fragment, type ReactNode } from 'react';

/** The Unicode character that stands for an object within a text. */
const place = '\ufffc';

type TextAroundProps = {
  /** A text with one value. */
  readonly text: (value: string) => string;
  /** The element in the place of the value. */
  readonly children: ReactNode;
};

/** A text with an element in the place of its value. */
export function TextAround({ text, children }: TextAroundProps): ReactNode {
  const [before, ...parts] = text(place).split(place);
  return (
    <>
      {before}
      {parts.map((part, index) => (
        <Fragment key={index}>
          {children}
          {part}
        </Fragment>
      ))}
    </>
  );
}
