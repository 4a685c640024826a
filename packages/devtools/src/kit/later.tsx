import { redactText } from '@vitrine/inspect/internal/redact';
import { Component, type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../texts.ts';

/**
 * Loads a component when it is first rendered and shows the text `waiting` until then. A failure is shown with a button
 * to try again.
 *
 * Not `React.lazy`: React delays the content of a suspended component by at least 300 ms, and keeps a failure forever.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: 'loading' | 'loadingGraph',
): ComponentType<Props> {
  let known: ComponentType<Props> | null = null;

  return function Later(props) {
    const texts = useTexts().common;
    const [View, setView] = useState(() => known);
    const [failure, setFailure] = useState<string | null>(null);
    const isWanted = View === null && failure === null;
    useEffect(() => {
      if (!isWanted) return;
      let isShown = true;
      load().then(
        (loaded) => {
          known = loaded;
          if (isShown) setView(() => loaded);
        },
        (error: unknown) => isShown && setFailure(String(error)),
      );
      return () => {
        isShown = false;
      };
    }, [isWanted]);
    if (View !== null) return <View {...props} />;
    if (failure === null) return <p className="empty">{texts[waiting]}</p>;
    return (
      <div className="empty" role="alert">
        <p>{texts.notLoaded}</p>
        <p className="facts">{failure}</p>
        <button onClick={() => setFailure(null)}>{texts.tryAgain}</button>
      </div>
    );
  };
}

/** Limits a rendering error to one view of the panel. */
export class ErrorBoundary extends Component<
  {
    readonly children: ReactNode;
    /** Shown above the error. */
    readonly before?: ReactNode;
  },
  { readonly message: string | null }
> {
  override state: { readonly message: string | null } = { message: null };

  static getDerivedStateFromError(error: unknown): { message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.message === null) return this.props.children;
    return (
      <>
        {this.props.before}
        <Failure
          message={redactText(this.state.message, 'message')}
          onRetry={() => this.setState({ message: null })}
        />
      </>
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
