import { redactText } from '@vitrine/core/inspect';
import { Component, type ReactNode } from 'react';

/** Limits a rendering error to one view of the panel. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode },
  { readonly message: string | null }
> {
  override state: { readonly message: string | null } = { message: null };

  static getDerivedStateFromError(error: unknown): { message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.message === null) return this.props.children;
    return (
      <p className="empty" role="alert">
        This view failed: {redactText(this.state.message, 'message')}{' '}
        <button onClick={() => this.setState({ message: null })}>Try again</button>
      </p>
    );
  }
}
