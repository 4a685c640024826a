import type { RowStorage } from '@vitrine/core/stores';
import type { GuardEnv } from '../guard/guard.ts';
import type { SessionLimits } from './session-routes-options.ts';

/** What the routes of sessions share. */
export type SessionsContext = { readonly limits: SessionLimits };

/** What a request brings along once it is known who asks. */
export type SessionsEnv = {
  Bindings: GuardEnv['Bindings'];
  Variables: GuardEnv['Variables'] & { readonly rows: RowStorage };
};
