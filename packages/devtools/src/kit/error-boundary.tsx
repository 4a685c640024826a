import { redactText } from '@vitrine/core/inspect';
import { Component, type ReactNode } from 'react';
import { useTexts } from '../texts.ts';

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
      <Failure
        message={redactText(this.state.message, 'message')}
        onRetry={() => this.setState({ message: null })}
      />
    );
  }
}

type FailureProps = { readonly message: string; readonly onRetry: () => void };

function Failure({ message, onRetry }: FailureProps): ReactNode {
  const texts = useTexts().common;
  return (
    <p className="empty" role="alert">
      {texts.viewFailed(message)} <button onClick={onRetry}>{texts.tryAgain}</button>
    </p>
  );
}
