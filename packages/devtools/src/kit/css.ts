/** CSS as it is written; the name of the tag lets editors and the formatter see it. */
export const css: (text: TemplateStringsArray, ...values: readonly string[]) => string = String.raw;
