'use client';

import { Component, type ReactNode } from 'react';

type Props = { readonly fallback: ReactNode; readonly children: ReactNode };

/** Limits a rendering error to one message and shows the fallback instead. */
export class MessageBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
