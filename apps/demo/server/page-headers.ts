/**
 * What the page may do: load and call nothing from elsewhere, run no script but its own, be in no frame, and turn no
 * text into a script or HTML. The same while developing, with a nonce for what Vite writes into the page. No HSTS: that
 * is for whoever ends TLS, and a browser would keep it for everything else on this machine.
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
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
  };
}
