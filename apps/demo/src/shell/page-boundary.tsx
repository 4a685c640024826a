import { Component, type ReactNode } from 'react';

type PageBoundaryProps = { readonly children: ReactNode };

/**
 * Shows an error when the page cannot render at all, e.g. when its store fails to load. Otherwise the page
 * would be empty.
 */
export class PageBoundary extends Component<PageBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="page-failed" role="alert">
        <p>This page could not be shown. Your sessions are kept.</p>
        <button className="vitrine-button" onClick={() => window.location.reload()}>
          Load it again
        </button>
      </div>
    );
  }
}
