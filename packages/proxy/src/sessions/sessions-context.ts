import type { RowStorage } from '@vitrine/core/stores';
import type { GuardEnv } from '../guard/guard.ts';
import type { Places } from './places.ts';
import type { RowPages } from './row-pages.ts';
import type { SessionLimits } from './session-routes-options.ts';

/** Data that the routes of sessions share. */
export type SessionsContext = {
  readonly limits: SessionLimits;
  /** Places for answers that are being sent. */
  readonly reads: Places;
  /** Bytes of bodies that are being read. */
  readonly bodies: Places;
};

/** Data of a request after its sign-in. */
export type SessionsEnv = {
  Bindings: GuardEnv['Bindings'];
  Variables: GuardEnv['Variables'] & { readonly rows: RowStorage & Partial<RowPages> };
};
