/**
 * Removes the characters of a set from the end of a text. A regular expression would start at each of them and be
 * quadratic.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
