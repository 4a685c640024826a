/** Headers by their names in lower case. */
export function plainHeaders(headers: HeadersInit | undefined): Record<string, string> {
  if (headers === undefined) return {};
  if (headers instanceof Headers || Array.isArray(headers)) return Object.fromEntries(new Headers(headers));
  const plain: Record<string, string> = {};
  for (const name in headers) plain[name.toLowerCase()] = headers[name] ?? '';
  return plain;
}
