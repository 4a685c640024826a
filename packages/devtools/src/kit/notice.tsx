import type { ReactNode } from 'react';

type NoticeProps = {
  readonly text: string;
  /** `alert` for what went wrong. */
  readonly role?: 'alert' | 'status';
};

/** A sentence that screen readers say at once; nothing for an empty one. */
export function Notice({ text, role = 'status' }: NoticeProps): ReactNode {
  return text === '' ? null : (
    <p className="facts picker" role={role}>
      {text}
    </p>
  );
}

/** The reason why an action was not done. */
export function Problem({ text }: { readonly text: string }): ReactNode {
  return text === '' ? null : (
    <p className="note" role="alert">
      {text}
    </p>
  );
}
