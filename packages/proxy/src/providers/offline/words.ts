const small = new Set(
  'a about an and are as at be by can do does for from how i in is it its me my not of on or our please say tell that the their them then there this to us was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** The words of a text that mean something, each once and in lower case; a name like `add_note` or `addNote` has two. */
export function contentWords(text: string): readonly string[] {
  const parted = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
  const words = parted.toLowerCase().match(/[\p{L}\p{N}-]{2,}/gu) ?? [];
  return [...new Set(words.filter((word) => !small.has(word)))];
}
