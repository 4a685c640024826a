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
export function Problem({ text, id }: { readonly text: string; readonly id?: string }): ReactNode {
  return text === '' ? null : (
    <p id={id} className="note" role="alert">
      {text}
    </p>
  );
}
