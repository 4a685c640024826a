'use client';

import { Component, type ReactNode } from 'react';

type Props = {
  /** The shown value. When it changes, the children are rendered again. */
  readonly of: unknown;
  readonly fallback: ReactNode;
  readonly children: ReactNode;
};
type State = { readonly of: unknown; readonly hasFailed: boolean };

/**
 * Limits a rendering error to one message and shows the fallback instead, until the message changes: an error may come
 * from outside, as from a translator that moves the texts of the page.
 */
export class MessageBoundary extends Component<Props, State> {
  override state: State = { of: this.props.of, hasFailed: false };

  static getDerivedStateFromError(): Pick<State, 'hasFailed'> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): State | null {
    return of === state.of ? null : { of, hasFailed: false };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
