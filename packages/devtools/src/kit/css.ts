/** CSS as written; the tag name lets editors and the formatter recognise it. */
export const css: (text: TemplateStringsArray, ...values: readonly string[]) => string = String.raw;
