/**
 * The security headers of the page: no requests to other origins, only its own scripts, no frames, and no
 * text turned into script or HTML. In development a nonce allows Vite's additions.
 *
 * No HSTS: that belongs to the TLS endpoint, and a browser would apply it to everything else on this
 * machine.
 */
export function pageHeaders(nonce: string | null): Readonly<Record<string, string>> {
  const own = nonce === null ? "'self'" : `'self' 'nonce-${nonce}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own}`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
  };
}
