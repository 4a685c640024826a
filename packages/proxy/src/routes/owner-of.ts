import type { Context } from 'hono';

/** The principal that a request is made for, as the guard has found it; null where nobody signs in. */
export function ownerOf(context: Context): string | null {
  const principal = context.get('principal') as { readonly id: string } | undefined;
  return principal?.id ?? null;
}
