/**
 * The name of the offered tool that a model means: models put a namespace before a name (`functions.read`), or leave
 * marks of their template behind it (`read<|channel|>commentary`). A name that no single tool has stays.
 */
export function offeredName(offered: readonly string[], name: string): string {
  if (offered.includes(name)) return name;
  const bare = name.split('<|', 1)[0]?.trim() ?? '';
  const last = Math.max(...['.', ':', '/'].map((sign) => bare.lastIndexOf(sign)));
  const wanted = [bare, bare.slice(last + 1)].map((one) => one.toLowerCase());
  const meant = offered.filter((one) => wanted.includes(one.toLowerCase()));
  return meant.length === 1 && meant[0] !== undefined ? meant[0] : name;
}
