import type { ErrorInfo } from '@vitrine/core';
import { redactText } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';

/** An error on one line. */
export function ErrorLine({ error }: { readonly error: ErrorInfo }): ReactNode {
  return (
    <p className="error-line">
      <code>{error.code ?? error.name}</code> {redactText(error.message, 'message')}
    </p>
  );
}
