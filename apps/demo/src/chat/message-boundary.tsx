import { Component, type ReactNode } from 'react';
import { RawMessage } from './raw-message.tsx';

type Props = { readonly text: string; readonly children: ReactNode };

/** Keeps what goes wrong in drawing one message to that message, which is then shown as its raw text. */
export class MessageBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <RawMessage text={this.props.text} /> : this.props.children;
  }
}
