import { Component, type ReactNode } from 'react';

type PageBoundaryProps = { readonly children: ReactNode };

/** Says so where the page cannot be drawn at all, as when what opens its sessions does not come: else it would be empty. */
export class PageBoundary extends Component<PageBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="page-failed" role="alert">
        <p>This page could not be shown. What you have written is kept.</p>
        <button className="vitrine-button" onClick={() => window.location.reload()}>
          Load it again
        </button>
      </div>
    );
  }
}
